/**
 * Thin lines on the board from each task to those that wait for it. Drawn behind the cards as they
 * lie; cards say in words what they wait for, so nothing is told by lines alone, and on a narrow
 * screen there are none.
 */
import { type RefObject, useEffect, useState } from 'react'
import type { Task } from '../../../src/protocol/work/task.ts'

interface Drawn {
  readonly key: string
  readonly path: string
  readonly waits: boolean
}

/** The distance between a card and the first bend of its line. */
const reach = 24
/** More would be a net that nobody reads. */
const mostLines = 200

export function DependencyLines({
  board,
  tasks,
}: {
  board: RefObject<HTMLElement | null>
  tasks: readonly Task[]
}) {
  const [lines, setLines] = useState<readonly Drawn[]>([])
  // Runs after layout: the board is the parent, and known only then.
  useEffect(() => {
    const element = board.current
    if (!element) return
    const draw = () => setLines(linesBetween(element, tasks))
    draw()
    const watch = new ResizeObserver(draw)
    watch.observe(element)
    return () => watch.disconnect()
  }, [board, tasks])
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 size-full overflow-visible max-lg:hidden"
    >
      {lines.map(({ key, path, waits }) => (
        <path
          key={key}
          d={path}
          fill="none"
          strokeWidth="1"
          className={waits ? 'stroke-warn' : 'stroke-edge'}
        />
      ))}
    </svg>
  )
}

function linesBetween(board: HTMLElement, tasks: readonly Task[]): Drawn[] {
  const origin = board.getBoundingClientRect()
  const cards = new Map(
    [...board.querySelectorAll<HTMLElement>('[data-task]')].map((card) => [
      card.dataset['task'],
      card,
    ]),
  )
  const lines: Drawn[] = []
  for (const task of tasks) {
    const to = cards.get(task.id)?.getBoundingClientRect()
    if (!to) continue
    for (const id of task.dependsOn) {
      const from = cards.get(id)?.getBoundingClientRect()
      if (!from || lines.length >= mostLines) continue
      lines.push({
        key: `${id} ${task.id}`,
        path: pathBetween(from, to, origin),
        waits: task.blockedBy === id,
      })
    }
  }
  return lines
}

function pathBetween(from: DOMRect, to: DOMRect, origin: DOMRect): string {
  const forward = to.left >= from.right
  const start = {
    x: (forward ? from.right : from.left) - origin.left,
    y: from.top + from.height / 2 - origin.top,
  }
  const end = {
    x: (forward ? to.left : to.right) - origin.left,
    y: to.top + to.height / 2 - origin.top,
  }
  // Within one column, or backwards, the line curves around the cards between.
  const out = forward ? Math.min(reach, (end.x - start.x) / 2) : -reach
  const back = forward ? -out : to.right <= from.left ? reach : -reach
  const at = forward || to.right <= from.left ? end.x : to.left - origin.left
  return `M${start.x} ${start.y}C${start.x + out} ${start.y} ${at + back} ${end.y} ${at} ${end.y}`
}
