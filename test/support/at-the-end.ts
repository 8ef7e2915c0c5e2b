/**
 * What a test process clears up when it ends, also when it is told to: the test runner ends its
 * workers with SIGTERM, which would otherwise leave servers and folders behind. Callbacks must be
 * synchronous.
 */
const callbacks = new Set<() => void>()

export function atTheEnd(callback: () => void): () => void {
  if (callbacks.size === 0) {
    process.once('exit', clearUp)
    process.once('SIGTERM', leave)
  }
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    process.off('exit', clearUp)
    process.off('SIGTERM', leave)
  }
}

const leave = (): never => process.exit(143)

/**
 * Clears up in reverse order: a folder after the processes that use it. A process killed a moment
 * ago may still write into one: what fails holds nothing else up, and has another turn when all the
 * rest is done.
 */
function clearUp(): void {
  for (const callback of [...callbacks].reverse().filter(fails)) fails(callback)
}

function fails(callback: () => void): boolean {
  try {
    callback()
    return false
  } catch {
    return true
  }
}
