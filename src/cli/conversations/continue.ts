/**
 * `holdfast continue`: another agent, or another model, goes on in a session (SN21). Says before
 * what it will read, and stops the turn that runs if that is asked for.
 */
import { clientClock, pause } from '../../client/backoff.ts'
import { ProblemError } from '../../client/failures.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { NextAgentPreview } from '../../protocol/conversations/next-agent.ts'
import { counted } from '../amounts.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, failed } from '../failure.ts'

const path = '/api/conversations/{key}/agent'

/** An agent may take so long to stop. */
const stopsWithinMs = 60_000
const lookAgainMs = 250

/** What is told of a preview: what it reads, and what goes to it. */
function inWords({ agentId, reads, messages, leftOut, tokens, queued }: NextAgentPreview): string {
  const amount = `${counted(messages, 'message')}, about ${counted(tokens, 'token')}`
  const words = {
    nothing: `Nothing was said that ${agentId} does not know.`,
    whole: `${agentId} reads all that was said: ${amount}.`,
    newest: `${agentId} reads the summary and the newest: ${amount}; ${leftOut} are left out.`,
    news: `${agentId} goes on in its own context, and reads what was said since: ${amount}.`,
  }
  const waits = queued === 0 ? '' : ` What waits goes to it: ${counted(queued, 'message')}.`
  return words[reads] + waits
}

/** Stops what runs, and waits until it has ended. */
async function stopFirst(context: CommandContext, key: string, agentId: string): Promise<void> {
  const params = { key }
  const patience = new AbortController().signal
  await context.client.post('/api/conversations/{key}/stop', { params }).catch((error) => {
    // Ended by itself meanwhile.
    if (!(error instanceof ProblemError) || error.problem.code !== 'wrong_state') throw error
  })
  for (let waited = 0; waited < stopsWithinMs; waited += lookAgainMs) {
    if (!(await context.client.get(path, { params, query: { agentId } })).running) return
    await pause(clientClock, lookAgainMs, patience)
  }
  const next = '`holdfast processes` shows its process; try again when the turn has ended.'
  throw new CommandFailure('later', 'Its turn has not stopped yet.', next, 'not_stopped')
}

function doneWords({ key, continuedFrom }: Conversation, before: string, agentId: string): string {
  return key === before || continuedFrom === undefined
    ? `${agentId} goes on in ${key}`
    : `${agentId} goes on in ${key}, in the same folder; ${before} stays as it is`
}

export const continueCommand = command({
  summary: 'Go on with another agent in a session, in the same files, or with another model',
  operands: {
    thread: operand.required('its key, as `holdfast sessions` shows it', { called: 'session' }),
  },
  options: {
    with: option.text('<agent>', 'who goes on; left out, the one that has it, with --model'),
    model: option.text('<model>', 'the model that it uses, of those it offers'),
    stop: option.flag('stop the turn that runs first; what waits goes to the next agent'),
  },
  examples: [
    ['continue session:k3v9x2m4p7qa --with codex', 'codex is told what was said, and goes on'],
    ['continue session:k3v9x2m4p7qa --with codex --stop', 'also while a turn runs'],
    ['continue session:k3v9x2m4p7qa --model opus', 'the same agent, with another model'],
  ],
  async run(context, given) {
    const key = given.thread
    const { model } = given
    const params = { key }
    const query = given.with === undefined ? {} : { agentId: given.with }
    const preview = await context.client.get(path, { params, query })
    const { agentId } = preview
    if (preview.refused !== null)
      throw failed(preview.refused, '`holdfast agents` lists those that there are.', 'refused')
    if (given.with !== undefined && !context.json) context.note(inWords(preview))
    if (preview.running && given.stop) await stopFirst(context, key, agentId)
    const changed = await context.client.post(path, { params, body: { agentId, model } })
    context.finished(changed, doneWords(changed, key, agentId))
  },
})
