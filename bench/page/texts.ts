/**
 * What people and agents say in a filled server: like the real thing in length and form, the same
 * at each run. Pure.
 */
export const projectNames = [
  'acme-web',
  'ledger',
  'field-notes',
  'checkout',
  'identity',
  'search-index',
  'mobile-app',
  'design-system',
  'billing',
  'warehouse',
  'docs-site',
  'infra',
  'etl-nightly',
  'support-desk',
  'partner-api',
  'reports',
  'notifications',
  'onboarding',
  'translations',
  'experiments',
] as const

export const agentNames = [
  { id: 'claude', name: 'Claude Code' },
  { id: 'codex', name: 'Codex' },
  { id: 'gemini', name: 'Gemini' },
  { id: 'opencode', name: 'OpenCode' },
  { id: 'copilot', name: 'Copilot' },
  { id: 'goose', name: 'Goose' },
  { id: 'qwen', name: 'Qwen Code' },
  { id: 'pi', name: 'Pi' },
  { id: 'reviewer', name: 'Reviewer' },
  { id: 'tester', name: 'Tester' },
  { id: 'writer', name: 'Writer of documentation' },
  { id: 'translator', name: 'Translator' },
  { id: 'security', name: 'Security' },
  { id: 'release', name: 'Release manager' },
  { id: 'triage', name: 'Triage' },
] as const

export const questions = [
  'Retry failed requests with backoff, and say in the error how often it was tried.',
  'Why does the October statement differ from the ledger by 0.03?',
  'Move the build to Vite without changing the output folder.',
  'The sign-in test is flaky on Mondays. Find out why.',
  '月末の報告書を速くしてください。どこが遅いかも教えてください。',
  'Split `checkout.ts`: it has 1,900 lines and four subjects.',
  'Which of our routes answer without a credential? A table, please.',
  'Write the release notes for 2.4 from the merged pull requests.',
] as const

const answers = [
  'Done. `retry()` now waits 100 ms, 200 ms and 400 ms, and gives up after **four** attempts. The error names the attempts.\n\n- `src/net/client.ts` uses it\n- `src/net/retry.test.ts` covers cancelling while it waits',
  'The difference comes from rounding each line instead of the sum:\n\n| line | exact | rounded |\n|:-----|------:|--------:|\n| fees | 12.005 | 12.01 |\n| tax | 3.015 | 3.02 |\n| sum | 15.02 | 15.03 |\n\nI would round half to even, once, at the end.',
  'I tried two ways. The first failed: the plugin reads `index.html` before the template is filled. The second works:\n\n```ts\nexport default defineConfig({\n  build: { outDir: "dist/web", sourcemap: true },\n})\n```\n\nThe output is byte for byte the same.',
  'The test builds a date from the local clock and compares it with one in UTC. Between 00:00 and 01:00 on the first day of a week they differ. I gave the clock to the function instead.',
  '遅いのは集計の問い合わせです。インデックスを追加すると 41 秒から 0.8 秒になりました。\n\n1. 明細を月ごとに読む\n2. 合計を一度だけ丸める\n3. 結果を保存する',
] as const

export const answerTo = (nth: number): string => answers[nth % answers.length] ?? ''

export const summaries = [
  'Requests are retried with backoff; the error names the attempts. Left: the same for uploads.',
  'The October difference is explained: lines were rounded one by one. Decided: round half to even, once.',
  'The build is moved; output unchanged. Left: the watch mode on the build server.',
  'The flaky test takes its clock as an argument now.',
] as const

export const taskTitles = [
  'Retry failed requests with backoff',
  'Round statements half to even',
  'Move the build to Vite',
  'Give the sign-in test a clock',
  'Speed up the month-end report',
  'Split checkout.ts by subject',
  'List the routes without a credential',
  'Write the release notes for 2.4',
  'Handle refund webhooks that come twice',
  'Sync notes after days offline',
  'Update the dependencies of the week',
  'Translate the settings into Japanese',
] as const

/** TypeScript that differs with each number. */
export function sourceFile(seed: number, lines: number): string {
  const made = Array.from({ length: Math.max(1, Math.floor(lines / 4)) }, (_, nth) => {
    const name = `step${seed}x${nth}`
    return `export function ${name}(value: number): number {\n  const factor = ${(seed * 31 + nth * 7) % 97}\n  return value * factor\n}\n`
  })
  return made.join('')
}
