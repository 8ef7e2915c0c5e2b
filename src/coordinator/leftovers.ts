/**
 * What a coordinator that died left behind (CO5): processes that carry the mark of its data folder. Their pipes are broken and
 * nobody supervises them, so the next one ends them before anything else. Another Holdfast's are never touched.
 */
import type { Logger } from '../platform/logger.ts'
import type { ProcessTable } from './process-table.ts'
import { type EndOptions, ProcessTree } from './process-tree.ts'

/** Gives the launches of which something was found; by then it is ended. */
export async function endLeftovers(
  table: ProcessTable,
  keeper: string,
  logger: Logger,
  options: EndOptions = {},
): Promise<ReadonlySet<string>> {
  const marks = (await table.look()).map(({ mark }) => mark)
  const launches = new Set(marks.filter((mark) => mark?.keeper === keeper).map((mark) => mark?.launchId ?? ''))
  await Promise.all(
    [...launches].map(async (launchId) => {
      const left = await new ProcessTree({ launchId, keeper }).end(table, options)
      if (left.length > 0) logger.error({ launchId, left: left.map(({ pid }) => pid) }, 'leftovers of an agent cannot be ended')
      else logger.warn({ launchId }, 'what was left of an agent was ended')
    }),
  )
  return launches
}
