/** SB4: attempts to get out of a sandbox, as the user of this run and, where that is root, as an ordinary user too. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

async function tried(mode: string, uid: number | undefined): Promise<Tried> {
  const file = join(import.meta.dirname, '../escapes/child.ts')
  const user = uid === undefined ? {} : { uid, gid: uid }
  const { stdout } = await promisify(execFile)(process.execPath, [file, mode], { ...user, timeout: childMs })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Tried
}

export const escapes: Part = async ({ seed }) => {
  const about = { rule: 'SB4', test: 'attempts to get out of a sandbox', seed }
  const { works, problem } = await probeSandbox(process.env)
  if (!works)
    return [{ ...about, points: '', tally: newTally(), controls: [], seconds: 0, notRun: problem ?? 'there is no sandbox here' }]
  const users = process.getuid?.() === 0 ? ([undefined, ordinary] as const) : ([undefined] as const)
  return [
    await timed(async () => {
      const tally = newTally()
      let points = 0
      for (const uid of users) {
        for (const mode of ['workplace', 'strict']) {
          const { attempts, escaped, left } = await tried(mode, uid)
          points += attempts
          tally.lost += escaped.length + left
          if (escaped.length > 0) tally.first ??= `${mode}${uid ? ' as an ordinary user' : ''}: ${escaped.join(', ')}`
        }
      }
      const off = await tried('off', undefined)
      const controls = [{ name: `off: ${off.escaped.length} of ${off.attempts} get out`, caught: off.missing.length === 0 }]
      return { ...about, points: `${points} attempts by ${users.length} users`, tally, controls }
    }),
  ]
}
