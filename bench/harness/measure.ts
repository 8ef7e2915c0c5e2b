/**
 * Runs a comparison: both contenders warmed up, then by turns, who goes first changing each round.
 */
import type { Comparison, Contender } from './comparison.ts'
import { judge, type Verdict } from './verdict.ts'

export const minRounds = 9
const warmUpRounds = 2
/** Rounds that take longer are said, so that one can see how far it is. */
const slowRoundMs = 1000

export interface Measurement extends Verdict {
  readonly title: string
  readonly unit: string
  readonly goal: Comparison['goal']
  readonly ours: Figures
  readonly yardstick: Figures
}

interface Figures {
  readonly name: string
  /** One figure per round, in order. */
  readonly rounds: readonly number[]
}

export interface Patience {
  readonly rounds: number
  readonly tries: number
}

/**
 * Again while the yardstick disagrees with itself, whatever ours was meanwhile; the last try
 * counts, alone.
 */
export async function measureUntilDecided(
  comparison: Comparison,
  { rounds, tries }: Patience,
): Promise<Measurement> {
  for (let tried = 1; ; tried++) {
    const measurement = await measure(comparison, rounds)
    if (measurement.outcome !== 'undecided' || tried >= tries) return measurement
  }
}

async function measure(comparison: Comparison, rounds: number): Promise<Measurement> {
  const { title, unit, goal } = comparison
  const contest = await comparison.prepare()
  try {
    const contenders = [contest.ours, contest.yardstick] as const
    await takeTurns(contenders, warmUpRounds)
    const [ours = [], yardstick = []] = await takeTurns(contenders, rounds)
    const verdict = judge(goal, ours, yardstick)
    return {
      title,
      unit,
      goal,
      ...verdict,
      ours: { name: contest.ours.name, rounds: ours },
      yardstick: { name: contest.yardstick.name, rounds: yardstick },
    }
  } finally {
    await contest.close()
  }
}

/** The figures of each contender, in the order they were given. */
export async function takeTurns(
  contenders: readonly Contender[],
  rounds: number,
): Promise<number[][]> {
  const figures = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    for (let turn = 0; turn < contenders.length; turn++) {
      const who = (round + turn) % contenders.length
      const figure = await contenders[who]?.round()
      if (figure === undefined || !(figure > 0))
        throw new Error(`${contenders[who]?.name} measured ${figure}`)
      figures[who]?.push(figure)
    }
    if (performance.now() - startedAt > slowRoundMs)
      console.error(
        `  round ${round + 1} of ${rounds}: ${contenders.map(({ name }, who) => `${name} ${figures[who]?.at(-1)?.toFixed(0)}`).join(', ')}`,
      )
  }
  return figures
}
