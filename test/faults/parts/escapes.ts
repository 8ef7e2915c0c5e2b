/**
 * SB4: attempts to get out of a sandbox, as the user of this run and, where that is root, as an
 * ordinary user too.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { newTally } from '../oracle.ts'
import { type Part, timed } from './part.ts'

/** Any that is not root and owns nothing. */
const ordinary = 65_534
const childMs = 120_000

interface Tried {
  readonly attempts: number
  readonly escaped: readonly string[]
  /** Attempts of the control that should have got out and did not. */
  readonly missing: readonly string[]
  readonly left: number
}

interface Exhausted {
  readonly name: string
  readonly said: string
  readonly isRight: boolean
  readonly left: number
}

export const tried = (mode: string, uid: number | undefined, only = ''): Promise<Tried> =>
  inChild([mode, only], uid)

async function inChild<Answer>(args: readonly string[], uid: number | undefined): Promise<Answer> {
  const file = join(import.meta.dirname, '../escapes/child.ts')
  const user = uid === undefined ? {} : { uid, gid: uid }
  const folder = await mkdtemp(join(tmpdir(), 'inherited-'))
  const inherited = await open(join(folder, 'file'), 'w+')
  await inherited.writeFile('ESCAPED\n')
  // Node marks the low ones as its own; the others reach its children.
  const stdio = Array.from({ length: 201 }, (_, at) =>
    at === 40 || at === 200 ? inherited.fd : 'ignore',
  )
  try {
    const child = spawn(process.execPath, [file, ...args], {
      ...user,
      stdio: ['ignore', 'pipe', 'inherit', ...stdio.slice(3)],
      timeout: childMs,
    })
    const text = child.stdout ? await textOf(child.stdout) : ''
    return JSON.parse(text.trim().split('\n').at(-1) ?? '') as Answer
  } finally {
    await inherited.close()
    await rm(folder, { recursive: true })
  }
}

export const escapes: Part = async ({ seed }) => {
  const about = { rule: 'SB4', test: 'attempts to get out of a sandbox', seed }
  const { works, problem } = await probeSandbox(process.env)
  if (!works)
    return [
      {
        ...about,
        points: '',
        tally: newTally(),
        controls: [],
        seconds: 0,
        notRun: problem ?? 'there is no sandbox here',
      },
    ]
  const users = process.getuid?.() === 0 ? ([undefined, ordinary] as const) : ([undefined] as const)
  const limits = await timed(async () => {
    const tally = newTally()
    const tried: string[] = []
    for (const uid of users) {
      for (const { name, said, isRight, left } of await inChild<Exhausted[]>(['limits'], uid)) {
        tried.push(name)
        tally.lost += (isRight ? 0 : 1) + left
        if (!isRight)
          tally.first ??= `${name}${uid ? ' as an ordinary user' : ''}: ${said || 'it went on'}`
      }
    }
    const about = {
      rule: 'SB13',
      test: 'what would use up the machine, in a sandbox with small limits',
      seed,
    }
    return {
      ...about,
      points: `${tried.length} attempts by ${users.length} users`,
      tally,
      controls: [],
    }
  })
  return [
    limits,
    await timed(async () => {
      const tally = newTally()
      let points = 0
      for (const uid of users) {
        for (const mode of ['workplace', 'strict']) {
          const { attempts, escaped, left } = await tried(mode, uid)
          points += attempts
          tally.lost += escaped.length + left
          if (escaped.length > 0)
            tally.first ??= `${mode}${uid ? ' as an ordinary user' : ''}: ${escaped.join(', ')}`
        }
      }
      const off = await tried('off', undefined)
      const controls = [
        {
          name: `off: ${off.escaped.length} of ${off.attempts} get out`,
          caught: off.missing.length === 0,
        },
      ]
      return { ...about, points: `${points} attempts by ${users.length} users`, tally, controls }
    }),
  ]
}
