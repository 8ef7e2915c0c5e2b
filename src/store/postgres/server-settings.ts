/**
 * The required settings of PostgreSQL, checked on every new connection: the server may have been
 * restarted with others, or the address may lead to another server. A missing durability would
 * otherwise show only at a power cut.
 */
import { StartFailure } from '../../platform/processes/start-failure.ts'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'

const oldestVersion = 140_000

/** The longest wait for a stream lock, for example of a node that stopped inside a transaction. */
const lockWaitMs = 10_000
/** Less than the lock wait, so that requests behind a paused node are served, not refused (SC3). */
const idleInTransactionMs = 5_000
const statementMs = 25_000

/** Sets the session's settings and reads all of them back in one round trip. */
export const setUp: RunnableQuery = {
  sql: `select
    current_setting('server_version_num')::int as version,
    current_setting('server_encoding') as encoding,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    pg_is_in_recovery()::int as standby,
    set_config('synchronous_commit',
      case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false
    ) as synchronous_commit,
    set_config('lock_timeout', '${lockWaitMs}', false) as lock_timeout,
    set_config('statement_timeout', '${statementMs}', false) as statement_timeout,
    set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', false) as idle_timeout,
    set_config('client_encoding', 'UTF8', false) as client_encoding`,
  values: [],
}

export function checkServer([found]: Row[], address: string): void {
  const refuse = (what: string, next: string): never => {
    throw new StartFailure(`The PostgreSQL at ${address} ${what}`, next)
  }
  if (!found) return refuse('did not say how it is set up.', 'Look into its log.')
  if (Number(found['version']) < oldestVersion)
    refuse('is older than version 14.', 'Upgrade it, or use another one.')
  if (found['encoding'] !== 'UTF8') {
    refuse(
      `has a database with encoding ${found['encoding']}.`,
      `Create one that holds all text: createdb --encoding=UTF8 --template=template0 NAME`,
    )
  }
  if (found['standby'] === 1)
    refuse('is a standby and cannot be written.', 'Use the address of the primary.')
  if (found['fsync'] !== 'on') {
    refuse(
      'has fsync off: a power cut would lose what was acknowledged.',
      'Set fsync = on in postgresql.conf and restart it.',
    )
  }
  if (found['full_page_writes'] !== 'on') {
    refuse(
      'has full_page_writes off: a power cut could tear pages.',
      'Set full_page_writes = on in postgresql.conf and reload it.',
    )
  }
  if (found['synchronous_commit'] === 'off') {
    refuse(
      'keeps synchronous_commit off.',
      'Set synchronous_commit = on for this database and user.',
    )
  }
}
