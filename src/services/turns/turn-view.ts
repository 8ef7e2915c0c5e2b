/** A turn as it is answered. */
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import { fields, jsonIn, noticeFrom } from '../../store/fields.ts'
import type { Reader } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'
import { promptOfTurn } from './prompt-of-turn.ts'
import { filesOfTurn } from './turn-files.ts'
import { usageOfTurn } from './turn-usage.ts'

export const turnView = async (reader: Reader, row: TurnRow): Promise<ConversationTurn> => ({
  ...fields(
    row,
    'id',
    'conversation_key',
    'agent_id',
    'about',
    'task_id',
    'state',
    'stop_reason',
    'error',
    'retry_of',
    'primer',
  ),
  ...fields(row, 'created_at', 'started_at', 'ended_at'),
  notice: noticeFrom(row.notice),
  content: await promptOfTurn(reader, row),
  text: row.answer,
  cut: row.cut === 1,
  ...(await usageOfTurn(reader, row.id, jsonIn(row.usage))),
  notBefore: row.state === 'queued' ? row.not_before : null,
  ...(await filesOfTurn(reader, row.id)),
  by: row.asked_by,
})
