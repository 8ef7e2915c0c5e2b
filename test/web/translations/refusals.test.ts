/** Refusals, in the reader's language (UI5). */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { errorCatalogue, Refusal } from '../../../src/domain/errors.ts'
import { changeSettings } from '../../../src/domain/projects/settings.ts'
import { refusalSentences as forms, refusalText } from '../../../src/domain/refusal-texts.ts'
import { sentences } from '../../../src/domain/status-text-list.ts'
import { AgentDraft } from '../../../src/protocol/agents/agent.ts'
import { checked } from '../../../src/protocol/checked-input.ts'
import { type Notice, translated } from '../../../src/protocol/notice-words.ts'
import { problemOf } from '../../../src/protocol/problem.ts'
import { ProjectDraft } from '../../../src/protocol/projects/project.ts'
import { BranchName } from '../../../src/protocol/worktrees/worktree.ts'
import { invalidSetting } from '../../../src/services/refusals.ts'
import { en } from '../../../web/src/translations/en.ts'
import { ja } from '../../../web/src/translations/ja.ts'

type Code = keyof typeof forms
const codes = Object.keys(forms) as Code[]
const namesIn = (form: string): string[] =>
  [...form.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
const inJapanese = (refusal: Refusal): string => {
  const { detail, notice } = problemOf(refusal)
  return translated(ja.translation, detail, notice)
}
/** What kind of value was expected is for programs. */
const forPrograms = new Set(['type', 'got'])

test.each(codes)('[UI5] %s is Japanese on the Japanese page, by its code', (code) => {
  const names = namesIn(forms[code]).filter((name) => !forPrograms.has(name))
  const notice: Notice = {
    code,
    params: Object.fromEntries(names.map((name) => [name, `<${name}>`])),
  }
  expect([...Object.keys(sentences), ...Object.keys(errorCatalogue)]).not.toContain(code)
  const shown = translated(ja.translation, 'never read', notice)
  expect([...shown.matchAll(/<(\w+)>/g)].map(([, name]) => name).sort()).toEqual(names)
  const without = shown.replaceAll(/<\w+>/g, '')
  expect(without).toMatch(/[ぁ-んァ-ヶ一-龠]/)
  expect(
    without.replaceAll(
      /HOLDFAST_|https?:|toAgentId|conversationKey|linkVersion|through_seq|session_token|authenticate|WebSocket|\/ws|\/ahp|Last-Event-ID|streams|HTTP|Idempotency-Key|URL|type|PostgreSQL|Windows|JSON|NUL|ACP|ID|git|--data|projects\.roots|Unicode|UTF-8|Holdfast|schema_version|Cookie|Origin|side/g,
      '',
    ),
  ).not.toMatch(/[A-Za-z]{2}/)
  expect(translated(en.translation, 'As it comes', notice)).toBe('As it comes')
})

/** By a library, or put together as they are said. */
const saidByOthers =
  /^(?:isMissing|otherType|invalidInput|too(?:Few|Many)\w+|tooSmall|tooBig|noSuchChoice|unknownFields?|otherForm|noTime|conflictsOne|setting(?:Whole|Number))$/

test('[UI5] what is in the list is said somewhere, to the letter', () => {
  const root = new URL('../../../', import.meta.url)
  const sources = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('refusal-texts.ts'),
  )
  const text = sources.map((file) => readFileSync(new URL(file, root), 'utf8')).join('\n')
  const isSaid = (code: Code): boolean =>
    text.includes(`'${code}'`) || text.includes(`'${code.replace(/Among$/, '')}'`)
  expect(codes.filter((code) => !saidByOthers.test(code) && !isSaid(code))).toEqual([])
  // Code that the page loads too brings the English form itself.
  const brought = [...text.matchAll(/\bnotice\(\s*'(\w+)',\s*\{[^}]*\},\s*'([^']*)'/g)]
  expect(brought.length).toBeGreaterThan(10)
  for (const [, code = '', form] of brought) expect(form, code).toBe(forms[code as Code])
})

const refusedBy = (schema: z.ZodType, value: unknown): string => {
  try {
    checked(schema, value)
    return ''
  } catch (error) {
    return inJapanese(error as Refusal)
  }
}

test('[UI5] a field says what is wrong with it, in the words of the schemas’ library', () => {
  const agent = { id: 'a', name: 'A', protocol: 'mcp', command: null }
  const thing = z.strictObject({
    name: z.string().min(2).max(3).optional(),
    count: z.number().min(1).max(9).optional(),
    list: z.array(z.string()).min(1).max(2).optional(),
    choice: z.enum(['one', 'two']).optional(),
    at: z.iso.datetime().optional(),
    form: z.string().regex(/^a+$/).optional(),
  })
  expect(refusedBy(ProjectDraft, {})).toBe('名前: 入力してください')
  expect(refusedBy(ProjectDraft, { name: 5 })).toBe('名前: 値の種類が違います')
  expect(refusedBy(ProjectDraft, { name: 'x', path: 'here' })).toBe(
    'フォルダー: .. を含まない絶対パスにしてください',
  )
  expect(refusedBy(ProjectDraft, { name: 'a\u0007' })).toBe('名前: 制御文字は使えません')
  expect(
    refusedBy(AgentDraft, {
      ...agent,
      env: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`V${n}`, ''])),
    }),
  ).toBe('env: 256 個を超えています')
  expect(refusedBy(z.strictObject({ branch: BranchName }), { branch: 'a..b' })).toBe(
    'ブランチ: ブランチ名として使えません',
  )
  expect(refusedBy(thing, { name: 'a' })).toBe('名前: 2 文字以上にしてください')
  expect(refusedBy(thing, { name: 'abcd' })).toBe('名前: 3 文字以内にしてください')
  expect(refusedBy(thing, { count: 0 })).toBe('count: 1 以上にしてください')
  expect(refusedBy(thing, { count: 10 })).toBe('count: 9 以下にしてください')
  expect(refusedBy(thing, { list: [] })).toBe('list: 1 個以上にしてください')
  expect(refusedBy(thing, { list: ['', '', ''] })).toBe('list: 2 個以内にしてください')
  expect(refusedBy(thing, { choice: 'three' })).toBe(
    'choice: 次のいずれかにしてください: "one"|"two"',
  )
  expect(refusedBy(thing, { at: 'soon' })).toBe('at: 日時の形式が正しくありません')
  expect(refusedBy(thing, { form: 'b' })).toBe('form: 使えない文字が含まれています（形式: /^a+$/）')
  expect(refusedBy(thing, { other: 1 })).toBe('対応していない項目です: "other"')
  expect(refusedBy(thing, { other: 1, another: 2 })).toBe(
    '対応していない項目です: "other", "another"',
  )
})

test('[UI5] what a setting has wrong is said with what would be right', () => {
  const saidOf = (change: Record<string, unknown>): string => {
    const changed = changeSettings({}, change)
    return 'problem' in changed ? inJapanese(invalidSetting(changed.problem)) : ''
  }
  expect(saidOf({ 'restart.max': 1.5 })).toBe('restart.max は 0〜100 の整数にしてください')
  expect(saidOf({ 'chat.wait_interval_seconds': 99 })).toBe(
    'chat.wait_interval_seconds は 1〜55 の数にしてください',
  )
  expect(saidOf({ 'permission.policy': 'perhaps' })).toContain(
    'permission.policy は次のいずれかにしてください',
  )
  expect(saidOf({ 'agent.runs_on': 'A B' })).toContain('agent.runs_on はラベルにしてください')
  expect(saidOf({ 'chat.hard_timeout_minutes': 1 })).toBe(
    'chat.hard_timeout_minutes は chat.soft_timeout_minutes（10）以上にしてください',
  )
})

test('[UI5] states are said in words, and what people have called something as it is', () => {
  const detail = refusalText('taskCannot', {
    task: 'T-1',
    state: 'completed',
    wanted: 'in_progress',
  })
  expect(inJapanese(new Refusal('wrong_state', detail))).toBe(
    'T-1 は完了です。今は進行中にできません',
  )
  expect(inJapanese(new Refusal('not_found', refusalText('noAgent', { id: 'read' })))).toBe(
    'エージェント read はありません',
  )
  expect(inJapanese(new Refusal('git_refused', 'fatal: not possible to fast-forward'))).toBe(
    'fatal: not possible to fast-forward',
  )
})
