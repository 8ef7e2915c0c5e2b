/**
 * The descriptors (SB11) that a child of this process would get beside those it is given: opened by
 * what started this process, and not closed on exec. Node marks its own, and of inherited ones only
 * those with low numbers.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const closedOnExec = 0o2000000
const firstAfterOutput = 3

/**
 * Starts a child that gets the named descriptors alone: in the place of each inherited one it has
 * nothing to read or write.
 */
export async function withoutInherited(
  named: Exclude<StdioOptions, string>,
  start: (stdio: Exclude<StdioOptions, string>) => Promise<ChildProcess>,
): Promise<ChildProcess> {
  const others = inheritedDescriptors().filter((descriptor) => descriptor >= named.length)
  if (others.length === 0) return start(named)
  const nothing = openSync('/dev/null', 'r+')
  const stdio = Array.from(
    { length: Math.max(...others) + 1 },
    (_, at) => named[at] ?? (others.includes(at) ? nothing : 'ignore'),
  )
  return start(stdio).finally(() => closeSync(nothing))
}

/** None where the system does not tell. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited)
  } catch {
    return []
  }
}

function isInherited(descriptor: number): boolean {
  if (descriptor < firstAfterOutput) return false
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(
      readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'),
    )?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    // The listing's own, closed by now.
    return false
  }
}
