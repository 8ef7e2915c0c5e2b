/**
 * Lets a session go on: what is paused begins (SN20), and at its vendor's limit its agent retries
 * by itself, or does not (SN6).
 */

import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import { defineUseCase } from '../../../store/store.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { currentLimit } from '../../turns/limit-record.ts'
import { endPause } from '../../turns/pause-record.ts'
import { beginElsewhere } from './begin-turn.ts'
import { type Continuation, goOnAfterLimit } from './end-limit.ts'

export const goOnInConversation = defineUseCase('go-on-in-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Continuation & { readonly key: string }) => [streamOfKey(key)],
  run: async (
    tx,
    { key, ...chosen },
    context,
  ): Promise<{ until: Instant | null; goesOn: boolean }> => {
    const { project_id: projectId, agent_id: agentId } = await existingConversation(tx, key)
    if (projectId === null || agentId === null)
      throw new Refusal('wrong_state', refusalText('nothingPaused', { key }))
    tx.lock(projectStream(projectId))
    const contextKey = { projectId, agentId, key, originKey: '' }
    const wasPaused = chosen.goOn && (await endPause(tx, key, chosen.by))
    if (wasPaused) await beginElsewhere(tx, projectId, context)
    if (await currentLimit(tx, contextKey)) return goOnAfterLimit(tx, contextKey, chosen)
    if (!wasPaused) throw new Refusal('wrong_state', refusalText('nothingPaused', { key }))
    return { until: null, goesOn: true }
  },
})
