/** One after the other under the same name, side by side under different ones. */
const last = new Map<string, Promise<unknown>>()

export function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve()
  const mine = before.then(work, work)
  last.set(name, mine)
  const leave = (): void => {
    if (last.get(name) === mine) last.delete(name)
  }
  mine.then(leave, leave)
  return mine
}
