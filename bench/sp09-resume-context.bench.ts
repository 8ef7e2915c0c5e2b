/**
 * SP9: the context of a resume after 10,000 messages, 1,000 approaches and 1,000 tasks, as
 * `get_resume_context` makes it, beside a bare read of the same rows: newest first, bounded, and
 * written out as the JSON that an agent would be sent.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../src/platform/time/clock.ts'
import {
  getOrCreateConversation,
  setHistory,
} from '../src/services/conversations/change-conversation.ts'
import { createProject } from '../src/services/projects/change-project.ts'
import { recordApproach } from '../src/services/work/change-approach.ts'
import { createTask } from '../src/services/work/change-task.ts'
import { createWorkSession } from '../src/services/work/end-work-session.ts'
import { resumeContextOf } from '../src/services/work/resume-context.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import { defineQuery } from '../src/store/store.ts'
import { type Grown, growing } from './harness/growing.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const by = 'bench'
const warnings = 100
const messages = 10_000
const writtenAtOnce = 200

/** The same call as the endpoint makes, without the agent that asks. */
const context = defineQuery('context', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { id }: { id: string }) => {
    const row = await reader.row('sessions', { id })
    return row && resumeContextOf(reader, row)
  },
})

async function openWork(folder: string, size: number): Promise<Grown> {
  const file = join(folder, `${size}.db`)
  const store = await openSqliteStore({ file, clock: systemClock, writerUrl })
  const { id: projectId } = await store.run(createProject, { name: 'bench', by })
  const { id } = await store.run(createWorkSession, {
    projectId,
    contextSummary: 'It stands well. '.repeat(20),
  })
  const place = { projectId, workSessionId: id, by }
  const words = {
    category: 'bench',
    details: { method: 'x'.repeat(80) },
    learnings: ['y'.repeat(60)],
  }
  const kinds = ['verified', 'untried', 'failed'] as const
  const record = (nth: number) => {
    const isWarning = nth < warnings
    const kind = isWarning ? 'failed' : (kinds[nth % kinds.length] ?? 'failed')
    const said = {
      description: `way ${nth} of doing it`,
      nextToTry: kind === 'untried',
      avoid: isWarning,
    }
    return store.run(recordApproach, { ...place, kind, ...words, ...said })
  }
  const plan = (nth: number) =>
    store.run(createTask, { ...place, phase: 1, type: 'code', title: `step ${nth} of the plan` })
  for (let from = 0; from < size; from += writtenAtOnce) {
    const some = Array.from(
      { length: Math.min(writtenAtOnce, size - from) },
      (_, nth) => from + nth,
    )
    await Promise.all(some.flatMap((nth) => [record(nth), plan(nth)]))
  }
  const key = 'bench:chat'
  await store.run(getOrCreateConversation, { key })
  const said = Array.from({ length: messages }, (_, nth) => ({
    role: 'user' as const,
    content: `message ${nth}`,
  }))
  await store.run(setHistory, { key, messages: said, by })
  const db = new DatabaseSync(file, { readOnly: true })
  const newest = (where: string, limit: number, table = 'approaches', at = 'updated_at') =>
    db.prepare(
      `select * from ${table} where session_id = '${id}' and ${where} order by ${at} desc, id desc limit ${limit}`,
    )
  const lists = [
    newest("kind = 'failed' and avoid = 1", 240),
    newest("kind = 'failed' and avoid = 0", 33),
    newest("kind = 'verified'", 33),
    newest("kind = 'untried' and next_to_try = 1", 33),
    newest("status <> 'completed' and status <> 'failed'", 34, 'tasks', 'created_at'),
  ]
  return {
    ours: async () => JSON.stringify(await store.query(context, { id })),
    bare: () => lists.map((list) => JSON.stringify(list.all())),
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

export const resumeContext = growing({
  timesPerRound: 100,
  open: openWork,
  besideBare: {
    title: '[SP9] the resume context of 1,000 approaches and 1,000 tasks',
    size: 1000,
    limit: 1.5,
    ours: 'store.query',
    yardstick: 'bounded newest-first read',
  },
  besideLess: {
    title: '[SP9] the resume context of 10,000 approaches and tasks, beside that of 1,000',
    more: 10_000,
    less: 1000,
    of: 'of each',
  },
})
