/**
 * DC2, DC4: a cutover killed with -9 at every step, then taken up by the next start. At the moment
 * of the kill each conversation is on one side or the other and every note is whole; afterwards
 * each chapter is in its note once.
 */
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runChild } from './child.ts'
import { examineCutover } from './cutover/examine.ts'
import { addTo, isClean, newTally, type Tally } from './oracle.ts'
import { scratchFolder } from './power-cut/scratch.ts'
import type { CutoverTask } from './processes/cut-over-and-die.ts'

export interface CutoverKillOptions {
  readonly build: string
  readonly conversations: number
  /**
   * The first step of each kind, and about so many of the steps, spread over all of them; all when
   * there are fewer.
   */
  readonly kills: number
  /** Processes at a time. */
  readonly lanes: number
  readonly stopEarly?: boolean
}

export interface CutoverKillResult {
  readonly kills: number
  readonly steps: number
  readonly tally: Tally
}

export async function cutoverKills(options: CutoverKillOptions): Promise<CutoverKillResult> {
  const { build, conversations, kills, lanes, stopEarly } = options
  const scratch = await scratchFolder()
  const run = async (
    folder: string,
    diesAt: CutoverTask['diesAt'],
  ): Promise<{ died: boolean; steps: string[] }> => {
    const task: CutoverTask = { folder, conversations, diesAt }
    let steps: string[] = []
    const onReport = (report: { type: string; text?: string }): void => {
      if (report.type === 'kept') steps = JSON.parse(report.text ?? '[]')
    }
    const end = await runChild({ build, script: 'cut-over-and-die', task, onReport })
    if (end.signal !== 'SIGKILL' && end.code !== 0)
      throw new Error(`The cutover ended by itself: ${end.errors}`)
    return { died: end.signal === 'SIGKILL', steps }
  }
  try {
    const due = join(scratch.folder, 'due')
    await mkdir(due)
    await run(due, 'prepare')
    const copyOf = async (name: string): Promise<string> => {
      const folder = join(scratch.folder, name)
      await cp(due, folder, { recursive: true })
      return folder
    }
    const undisturbed = await copyOf('undisturbed')
    const { steps } = await run(undisturbed, null)
    const result = { kills: 0, steps: steps.length, tally: newTally() }
    addTo(result.tally, await examineCutover(undisturbed, conversations, true), 'undisturbed')
    const every = Math.max(1, Math.floor(steps.length / kills))
    const spread = steps.filter((_, index) => index % every === 0)
    const moments = new Set([...steps.filter((name) => name.endsWith(' 1')), ...spread]).values()
    const lane = async (): Promise<void> => {
      for (const at of moments) {
        if (stopEarly && !isClean(result.tally)) return
        const folder = await copyOf(at)
        if (!(await run(folder, at)).died) continue
        result.kills++
        addTo(
          result.tally,
          await examineCutover(folder, conversations, false),
          `killed at step ${at}`,
        )
        if (stopEarly && !isClean(result.tally)) return
        await run(folder, null)
        addTo(
          result.tally,
          await examineCutover(folder, conversations, true),
          `taken up after step ${at}`,
        )
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return result
  } finally {
    await scratch.remove()
  }
}
