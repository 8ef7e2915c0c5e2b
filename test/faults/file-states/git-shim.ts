/**
 * A `git` in front of the real one that kills the process a plan names at its n-th call: before git
 * runs, beside it, in the middle of it, or right behind it. So each step of a state, a rewind and a
 * fork meets the kill, and git's own work too.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `instead`: git never runs. `along`: it goes on alone. `cut`: it is killed too, in its middle.
 * `after`: it has just ended.
 */
export const moments = ['instead', 'along', 'cut', 'after'] as const
export type Moment = (typeof moments)[number]

export interface Plan {
  readonly nth: number
  /** Counts only calls of this command of git. */
  readonly command?: string | undefined
  readonly moment: Moment
  /** How far git comes before it is cut. */
  readonly afterMs: number
  /** `parent`: who has started git. */
  readonly pids: readonly number[] | 'parent'
}

export class GitShim {
  readonly bin: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.bin = join(folder, 'bin')
    mkdirSync(this.bin, { recursive: true })
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(this.bin, 'git'), scriptFor(real, folder), { mode: 0o755 })
  }

  /** Calls are counted from now on. */
  arm({ nth, command = '', moment, afterMs, pids }: Plan): void {
    this.disarm()
    writeFileSync(
      join(this.#folder, 'plan'),
      `${nth} ^${command} ${moment} ${(afterMs / 1000).toFixed(3)} ${pids === 'parent' ? pids : pids.join(' ')}\n`,
    )
  }

  /** Returns the calls of git since it was armed, by their command. */
  disarm(): { readonly calls: readonly string[] } {
    const file = (name: string): string => join(this.#folder, name)
    const calls = existsSync(file('calls'))
      ? readFileSync(file('calls'), 'utf8').trimEnd().split('\n')
      : []
    for (const name of ['plan', 'met', 'calls']) rmSync(file(name), { force: true })
    return { calls }
  }

  get isMet(): boolean {
    return existsSync(join(this.#folder, 'met'))
  }
}

const scriptFor = (real: string, folder: string): string => `#!/bin/sh
[ -f '${folder}/plan' ] || exec '${real}' "$@"
printf '%s\\n' "$1" >> '${folder}/calls'
read -r nth command moment pause pids < '${folder}/plan' || exec '${real}' "$@"
count=$(grep -c "$command" '${folder}/calls')
if [ "$count" -lt "$nth" ] || ! mv '${folder}/plan' '${folder}/met' 2>/dev/null; then exec '${real}' "$@"; fi
[ "$pids" = parent ] && pids=$PPID
case $moment in
  instead) kill -9 $pids; exit 1;;
  along) kill -9 $pids; exec '${real}' "$@";;
  cut) exec 3<&0; '${real}' "$@" <&3 & child=$!; sleep "$pause"; kill -9 $pids $child; wait; exit 1;;
  after) '${real}' "$@"; code=$?; kill -9 $pids; exit $code;;
esac
`
