/**
 * Asks a worker one thing after the other. One that has not answered in time is ended, and the next
 * is asked of a new one.
 */

/** More than a page can need at once; what comes on top is answered with undefined at once. */
const mostWaiting = 2000

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly answer: (answer: Answer | undefined) => void
}

/** The answer is undefined where there is none: out of time, failed, or too many wait. */
export function limitedWorker<Request, Answer>(start: () => Worker, limitMs: number) {
  const queue: Waiting<Request, Answer>[] = []
  let worker: Worker | undefined
  let current: Waiting<Request, Answer> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function settle(answer: Answer | undefined): void {
    clearTimeout(timer)
    const settled = current
    current = undefined
    settled?.answer(answer)
    next()
  }

  function giveUp(): void {
    worker?.terminate()
    worker = undefined
    settle(undefined)
  }

  function running(): Worker {
    if (worker) return worker
    const started = start()
    started.addEventListener(
      'message',
      ({ data }: MessageEvent<Answer>) => started === worker && settle(data),
    )
    started.addEventListener('messageerror', () => started === worker && giveUp())
    started.addEventListener('error', () => started === worker && giveUp())
    return started
  }

  function next(): void {
    if (current) return
    current = queue.shift()
    if (!current) return
    worker = running()
    timer = setTimeout(giveUp, limitMs)
    worker.postMessage(current.request)
  }

  return (request: Request): Promise<Answer | undefined> => {
    if (queue.length >= mostWaiting) return Promise.resolve(undefined)
    return new Promise((answer) => {
      queue.push({ request, answer })
      next()
    })
  }
}
