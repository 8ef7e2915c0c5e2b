/**
 * The turns of a conversation in an export: how each ended, what it did, and what was asked in it
 * and decided (CH17).
 */
import { basename, dirname, join } from 'node:path'
import { namesOf } from '../mirror/conversation-name.ts'
import { replaceFile } from '../platform/files/atomic-file.ts'
import { makeFolder } from '../platform/files/make-folder.ts'
import { itemsOf } from '../services/turns/turn-items.ts'
import { selectNameOf } from '../store/conversations/conversations.ts'
import { fields } from '../store/fields.ts'
import { newest, type PageKey } from '../store/page-cursor.ts'
import type { Reader } from '../store/store.ts'
import { selectTurnsBefore } from '../store/turns/turns.ts'

const turnsAtOnce = 50

/** The turns of a conversation that are over, newest first, with all that came of them. */
async function* turnsOver(reader: Reader, key: string): AsyncGenerator<object, void> {
  for (let after: PageKey = newest; ; ) {
    const rows = await reader.all(selectTurnsBefore, { key, ...after, limit: turnsAtOnce })
    for (const row of rows) {
      if (row.ended_at === null || row.about === 'summary') continue
      const about = fields(
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
      )
      const times = fields(row, 'created_at', 'started_at', 'ended_at')
      yield {
        ...about,
        ...times,
        by: row.asked_by,
        text: row.answer,
        items: await itemsOf(reader, row.id),
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < turnsAtOnce) return
    after = { createdAt: last.created_at, id: last.id }
  }
}

/** Writes `turns/<name>.jsonl`, the newest first. Nothing where there were none. */
export async function writeTurns(reader: Reader, folder: string, key: string): Promise<void> {
  const turns = turnsOver(reader, key)
  const first = await turns.next()
  if (first.done) return
  const { plain, apart } = namesOf(folder, key)
  const file = (await reader.first(selectNameOf, { key })) ? plain : apart
  const path = join(folder, 'turns', `${basename(file, '.json')}.jsonl`)
  await makeFolder(dirname(path))
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(first.value)}\n`)
    for await (const turn of turns) yield Buffer.from(`${JSON.stringify(turn)}\n`)
  }
  await replaceFile(path, lines())
}
