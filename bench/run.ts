/**
 * `npm run bench`: measures, prints the table and writes it to docs/bench.md.
 *   npm run bench -- sp5 sp7       only these operations
 *   npm run bench -- --rounds 15   more than the 9 that count
 *   npm run bench -- --tries 10    measure again up to so often (3) while the machine is too busy to say
 *   npm run bench -- --json        the figures of every round; docs/bench.md is left alone
 * Exit code: 0 when every goal was met, 1 when one was missed or could not be measured, 2 when the
 * machine was too busy to say.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPackageRoot } from '../src/platform/files/package-root.ts'
import type { Comparison } from './harness/comparison.ts'
import { writeFigures } from './harness/document.ts'
import { machineLine } from './harness/machine.ts'
import { type Measurement, measureUntilDecided, minRounds } from './harness/measure.ts'
import { markdownTable, textTable } from './harness/table.ts'
import { exitCodeOf } from './harness/verdict.ts'
import { nodes } from './sc1-nodes.bench.ts'
import { coldStart } from './sp01-cold-start.bench.ts'
import { messageToAgent } from './sp02-message-to-agent.bench.ts'
import { answerToBrowser } from './sp03-answer-to-browser.bench.ts'
import { spawns } from './sp04-spawn.bench.ts'
import { durableAppend } from './sp05-append.bench.ts'
import { durableAppendOnPostgres } from './sp05-append-postgres.bench.ts'
import { fanOuts } from './sp06-fan-out.bench.ts'
import { replays } from './sp07-replay.bench.ts'
import { history } from './sp08-history.bench.ts'
import { resumeContext } from './sp09-resume-context.bench.ts'
import { heldCalls } from './sp10-held-call.bench.ts'
import { idleMemory } from './sp11-idle-memory.bench.ts'
import { cutovers } from './sp12-cutover.bench.ts'
import { sweep } from './sp13-sweep.bench.ts'
import { toolCall } from './sp14-tool-call.bench.ts'
import { gateway } from './sp15-gateway.bench.ts'
import { sandboxStart } from './sp16-sandbox-start.bench.ts'
import { fileStates } from './sp17-file-states.bench.ts'

const operations: Readonly<Record<string, readonly Comparison[]>> = {
  sp1: coldStart,
  sp2: messageToAgent,
  sp3: answerToBrowser,
  sp4: spawns,
  sp5: durableAppend,
  'sp5-postgres': durableAppendOnPostgres,
  sp6: fanOuts,
  sp7: replays,
  sp8: history,
  sp9: resumeContext,
  sp10: heldCalls,
  sp11: idleMemory,
  sp12: cutovers,
  sp13: sweep,
  sp14: toolCall,
  sp15: gateway,
  sp16: sandboxStart,
  sp17: fileStates,
  sc1: nodes,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: String(minRounds) },
    tries: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = wholeNumber('--rounds', values.rounds, minRounds)
const tries = wholeNumber('--tries', values.tries, 1)
const unknown = positionals.filter((name) => !(name in operations))
if (unknown.length > 0)
  throw new Error(
    `There is no ${unknown.join(', ')}; there are ${Object.keys(operations).join(', ')}`,
  )

const measured: Measurement[] = []
let brokenOff = false
for (const [operation, comparisons] of Object.entries(operations)) {
  if (positionals.length > 0 && !positionals.includes(operation)) continue
  const ofThis: Measurement[] = []
  for (const comparison of comparisons) {
    console.error(`measuring ${comparison.title}`)
    try {
      ofThis.push(await measureUntilDecided(comparison, { rounds, tries }))
    } catch (error) {
      // The others are measured all the same.
      brokenOff = true
      console.error(`not measured: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  measured.push(...ofThis)
  if (values.json || ofThis.length < comparisons.length) continue
  const circumstances = `${new Date().toISOString().slice(0, 10)}, ${machineLine()}, ${rounds} rounds.`
  writeFigures(join(findPackageRoot().folder, 'docs', 'bench.md'), {
    operation,
    table: markdownTable(ofThis),
    circumstances,
  })
}

console.log(
  values.json
    ? JSON.stringify({ machine: machineLine(), rounds, measured }, null, 2)
    : textTable(measured),
)
process.exitCode = brokenOff ? 1 : exitCodeOf(measured.map(({ outcome }) => outcome))

function wholeNumber(option: string, text: string, least: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < least)
    throw new Error(`${option} takes a whole number, ${least} or more`)
  return number
}
