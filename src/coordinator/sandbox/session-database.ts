/**
 * Begins a database of sessions with some of another's (SB12): the tables as they are there, of
 * their rows those of the named sessions and what the sessions refer to. Everything else, sign-ins
 * among it, stays empty.
 */
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
/**
 * Larger ones are not looked through while a start waits: the agent begins anew, and is told what
 * was said.
 */
const maxBytes = 256 * 1024 ** 2
/** What the file says is not believed: of its text one statement is taken, of these kinds. */
const madeBy = /^\s*create\s+(table|index|unique\s+index)\s/i
/** Which build wrote it, for an agent that would otherwise make its tables again. */
const whole = /migration/i

/**
 * Nothing is made of a file that is no database, or has no table of sessions: the agent then begins
 * anew.
 */
export async function copySessions(
  from: string,
  to: string,
  ids: readonly string[],
): Promise<void> {
  if ((await stat(from)).size > maxBytes) return
  const { DatabaseSync: Database } = await import('node:sqlite')
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  let copy: DatabaseSync | undefined
  try {
    copy = new Database(to, { enableForeignKeyConstraints: false })
    copy.exec('pragma trusted_schema = off')
    copy.prepare('attach database ? as other').run(`file:${encodeURI(from)}?mode=ro`)
    if (!copyRows(copy, ids)) throw new Error('has no sessions')
    copy.exec('detach database other')
    copy.close()
  } catch {
    copy?.close()
    for (const each of [to, `${to}-wal`, `${to}-shm`, `${to}-journal`])
      await rm(each, { force: true })
  }
}

function copyRows(copy: DatabaseSync, ids: readonly string[]): boolean {
  const made = copy
    .prepare(
      "select type, name, sql from other.sqlite_master where sql is not null and name not like 'sqlite_%'",
    )
    .all()
  const plain = made.filter(({ sql }) => madeBy.test(String(sql)))
  const tables = plain.filter(({ type }) => type === 'table')
  if (!tables.some(({ name }) => name === 'session')) return false
  copy.exec('begin')
  for (const { sql } of tables) copy.prepare(String(sql)).run()
  const wanted = `in (select value from json_each(?))`
  const given = JSON.stringify(ids)
  for (const { name } of tables) {
    const table = quoted(String(name))
    const columns = copy
      .prepare(`pragma table_info(${table})`)
      .all()
      .map((each) => String(each['name']))
    const key =
      name === 'session'
        ? 'id'
        : ['session_id', 'aggregate_id'].find((each) => columns.includes(each))
    const insert = `insert into main.${table} select * from other.${table}`
    if (whole.test(String(name))) copy.exec(insert)
    else if (key) copy.prepare(`${insert} where ${key} ${wanted}`).run(given)
  }
  if (tables.some(({ name }) => name === 'project'))
    copy.exec(
      'insert into main.project select * from other.project where id in (select project_id from main.session)',
    )
  for (const { sql } of plain.filter(({ type }) => type === 'index'))
    copy.prepare(String(sql)).run()
  copy.exec('commit')
  return true
}
