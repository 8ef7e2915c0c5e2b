/** Looks through everything the database holds (`--deep`): takes as long as reading all of it. Changes nothing. */
import type { DeepCheck } from '../../../offline/deep-check.ts'
import type { LoadedConfig } from '../../../platform/config.ts'
import { StartFailure } from '../../../platform/start-failure.ts'
import { counted } from '../../amounts.ts'
import { beginStep } from '../../step.ts'
import type { Terminal } from '../../terminal.ts'
import { bad, type Check, good } from './check.ts'

const name = 'Deep check'
const next = 'Make a copy of the data folder as it is, then restore the last good backup.'

export async function checkDeep(terminal: Terminal, { values }: LoadedConfig): Promise<{ check: Check; deep: DeepCheck | null }> {
  const { checkDeeply } = await import('../../../offline/deep-check.ts')
  const step = beginStep(terminal, 'Looking through everything')
  try {
    const deep = await checkDeeply(values, (rows) => step.update(counted(rows, 'row')))
    const { rows, findings } = deep
    const check =
      findings.length === 0
        ? good(name, `${counted(rows, 'row')} read: the file is whole, streams are dense, state is what the events say`)
        : bad(name, `${counted(findings.length, 'thing')} found in ${counted(rows, 'row')}, listed below`, next)
    return { check, deep }
  } catch (error) {
    if (!(error instanceof StartFailure)) return { check: bad(name, (error as Error).message, next), deep: null }
    return { check: bad(name, error.message, error.next), deep: null }
  } finally {
    step.end()
  }
}
