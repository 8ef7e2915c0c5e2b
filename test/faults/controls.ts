/**
 * The builds broken on purpose, one for each promise: what its fault test must catch. And two that
 * are not broken, only smaller, so that what happens seldom (a checkpoint) happens often.
 */
import type { Change } from './changes.ts'

const connection = 'store/sqlite/connection.ts'

/** Folds the write-ahead log into the database after a few commits instead of after 8 MiB. */
export const smallCheckpoints: Change = {
  file: connection,
  find: 'const checkpointPages = 2000',
  replace: 'const checkpointPages = 24',
}

/** RE2: commits are not synced. kill -9 cannot see this one. */
export const synchronousNormal: Change = {
  file: connection,
  find: "connection.#set('synchronous', 'full', 2)",
  replace: "connection.#set('synchronous', 'normal', 1)",
}

const commit = "      this.#connection.command('commit')\n"
const reply = `      this.#reply({
        type: 'done',
        results,
        heads: [...heads],
        retried: this.#retried,
        failure: null,
        broken: false,
      })
`
const slowDisk = '      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)\n'

/** RE1: answers before the commit, which then takes as long as a slow disk would. */
export const acknowledgeBeforeCommit: Change = {
  file: 'store/sqlite/writer-thread.ts',
  find: commit + reply,
  replace: reply + slowDisk + commit,
}

/** RE3: a commit that failed is taken for one that did not. */
export const ignoreFailedCommit: Change = {
  file: 'store/sqlite/writer-thread.ts',
  find: commit,
  replace: `      try {\n${commit}      } catch {}\n`,
}

/** RE3: a disk that failed once is trusted with what comes next. */
export const goesOnAfterFailure: Change = {
  file: 'store/sqlite/writer-thread.ts',
  find: "      this.#broken ??= refusalText('storeFailed', { why: String(error) })\n",
  replace: "      return refusalText('storeFailed', { why: String(error) })\n",
}

const orDie = `(process as { statements?: number }).statements = ((process as { statements?: number }).statements ?? 0) + 1
    if ((process as { statements?: number }).statements === Number(process.env['DIE_AT_STATEMENT'])) process.kill(process.pid, 'SIGKILL')
`

/**
 * RE10: not broken, but it dies in front of the statement that the environment names. On SQLite
 * pragmas and commits count too.
 */
export const diesAtStatement: readonly Change[] = [
  {
    file: connection,
    find: "import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'",
    replace: `import { DatabaseSync as RealDatabase, type SQLInputValue, type StatementSync } from 'node:sqlite'
class DatabaseSync extends RealDatabase {
  prepare(sql: string): StatementSync {
    const statement = super.prepare(sql) as any
    for (const method of ['run', 'all', 'get']) {
      const real = statement[method].bind(statement)
      statement[method] = (...values: unknown[]) => {
        ${orDie}
        return real(...values)
      }
    }
    return statement
  }
}`,
  },
  {
    file: 'store/postgres/migrating-connection.ts',
    find: '    return this.#connection.execute(query)\n',
    replace: `    ${orDie}    return this.#connection.execute(query)\n`,
  },
]

/** RE10 on PostgreSQL: migrations without a transaction around them. */
export const migrateWithoutTransactionOnPostgres: Change = {
  file: 'store/postgres/migrating-connection.ts',
  find: "    await this.#connection.execute({ sql: 'begin', values: [] })\n",
  replace: '',
}

/** RE10: migrations without a transaction around them. */
export const migrateWithoutTransaction: Change = {
  file: connection,
  find: "    this.command('begin immediate')\n    try {\n      await work()\n      this.command('commit')\n",
  replace: '    try {\n      await work()\n',
}

/** RE10: what an earlier build could not say of an agent is taken for a contradiction. */
export const expectsAllOfEarlierEvents: Change = {
  file: 'store/deep-check/state-of-home.ts',
  find: "(name === 'id' || name in body) && ",
  replace: '',
}

/** CK3: the new file is renamed into place before its bytes are on the disk. */
export const renameUnsynced: Change = {
  file: 'platform/files/atomic-file.ts',
  find: '    await file.sync()\n',
  replace: '',
}

/** CK3, RE3: a sync that failed is taken for one that did not. */
export const ignoreFailedSync: Change = {
  file: 'platform/files/atomic-file.ts',
  find: '    await file.sync()\n',
  replace: '    await file.sync().catch(() => {})\n',
}

/** CK3: nobody tells the disk about the new name. */
export const folderUnsynced: Change = {
  file: 'platform/files/atomic-file.ts',
  find: '  await syncFolder(folder)\n',
  replace: '',
}

/** RE7: nobody waits for readers that keep the log long. */
export const unboundedLog: Change = {
  file: 'store/sqlite/writer-thread.ts',
  find: '        this.#connection.limitWalSize()\n',
  replace: '',
}

/** RE3: goes on behind what a failed sync left in the log. */
export const trustsLeftLog: Change = {
  file: connection,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source as it is
  find: '    rewriteWal(`${file}-wal`)\n',
  replace: '',
}

/** RE1 on PostgreSQL: answers before the commit, which is sent when the answer has long arrived. */
export const acknowledgeBeforeCommitOnPostgres: Change = {
  file: 'store/postgres/write-transaction.ts',
  find: '      done = await this.#connection.commit()\n',
  replace:
    "      done = 'COMMIT'\n      setTimeout(() => this.#connection.commit().catch(() => {}), 60)\n",
}

/** RE11: what failed with the statement before it is told as a failure of ours. */
export const skippedIsUnknown: Change = {
  file: 'store/postgres/connection.ts',
  find: '      throw error instanceof Skipped ? error.cause : error\n',
  replace: '      throw error\n',
}

/** RE3: nobody minds when the folder that holds the log cannot be synced. */
export const trustsNames: Change = {
  file: 'store/sqlite/writer-thread.ts',
  find: '    await syncFolder(dirname(file))\n',
  replace: '',
}

/** RE5: whatever epoch a coordinator speaks in, it is believed. */
export const noEpochCheck: Change = {
  file: 'services/processes/launch-record.ts',
  find: '  if (row.epoch !== epoch) throw fenced(epoch, row.epoch)\n',
  replace: '',
}

/** RE5: the epoch is looked at before the transaction, and not inside it. */
export const epochCheckedTooEarly: Change = {
  file: 'services/flows/processes/store-facts.ts',
  find: '    const row = await requireCurrentEpoch(tx, input)\n',
  replace:
    '    const row = (await findCoordinatorRow(tx, input.coordinatorId)) ?? (await requireCurrentEpoch(tx, input))\n',
}

/**
 * RE1 in a cluster: changes of projects are answered before their commit; everything else is as it
 * should be, so that all can begin.
 */
export const changesAcknowledgedEarly: readonly Change[] = [
  {
    file: 'store/postgres/use-case-runner.ts',
    find: '      await transaction.commit()\n',
    replace: `      if (useCase.name === 'change-project') {
        var early = true
        const release = (): void => this.#pool.release(connection)
        setTimeout(() => transaction.commit().then(release, release), 400)
      } else await transaction.commit()
`,
  },
  {
    file: 'store/postgres/use-case-runner.ts',
    find: '      this.#pool.release(connection)\n',
    replace: '      if (!early) this.#pool.release(connection)\n',
  },
  {
    file: 'store/postgres/use-case-runner.ts',
    find: '    const shares =\n      isFirst &&',
    replace: "    const shares =\n      request.useCase.name !== 'change-project' && isFirst &&",
  },
]

/** SC3: a node that is stopped lets nobody finish. */
export const cutOffByDrain: Change = {
  file: 'server/start-listeners.ts',
  find: '      if (lingerMs > 0) await linger(lingerMs)\n',
  replace: '      listener.server.closeAllConnections()\n',
}

/** SC3: who upgrades keeps everybody else waiting. */
export const longMigration: Change = {
  file: 'store/migrations/migrations.ts',
  find: '\n\nexport const newestVersion = migrations.length',
  replace: `.concat({
  version: 1000,
  statements: () => ['lock table projects in access exclusive mode', 'select pg_sleep(20)'],
})

export const newestVersion = 1000`,
}

/** CO4: what is ordered once is started twice. */
export const startedTwice: Change = {
  file: 'coordinator/supervisor.ts',
  find: '      await this.#supervise(launch)\n',
  replace: '      await Promise.all([this.#supervise(launch), this.#supervise({ ...launch })])\n',
}

/** Not broken, but no node tells another that something has moved: only the poll does. */
export const silentDoorbells: Change = {
  file: 'store/postgres/notify-bell.ts',
  find: '    if (!this.#connection || this.#gathered.size >= maxGathered) return\n',
  replace: '    if (heads) return\n',
}

/**
 * Not broken: what is begun with its order reaches no coordinator until its link is back (CO11).
 */
export const beginningsLost: Change = {
  file: 'server/processes/linked-machines.ts',
  find: 'this.#track(this.#beginAll(machine).catch(',
  replace: 'this.#track(this.#beginAll({ ...machine, connection: { tell() {} } }).catch(',
}

/** CO6: what was begun and does not run when the link is back counts as gone, for any agent. */
export const unknownIsGone: Change = {
  file: 'coordinator/supervisor.ts',
  find: "(state === 'starting' && !this.#hasSynchronized)",
  replace: "state === 'starting'",
}

/** RE6: a process is its number, also when another has it now. */
export const killByPidAlone: Change = {
  file: 'coordinator/process-tree.ts',
  find: 'if (this.#known.has(keyOf(each))) return true',
  replace:
    "if ([...this.#known].some((known) => known.split(' ')[0] === String(each.pid))) return true",
}

/**
 * CK3: files are written where they lie; those of projects are half there until the server is
 * killed.
 */
export const filesInPlace: Change = {
  file: 'platform/files/atomic-file.ts',
  find: '    await rename(temporary, path)\n',
  replace: `    const { readFile, writeFile } = await import('node:fs/promises')
    const bytes = await readFile(temporary)
    await writeFile(path, bytes.subarray(0, bytes.length / 2))
    if (path.includes('/projects/')) await new Promise(() => {})
    await writeFile(path, bytes)
    await unlink(temporary)
`,
}

/** RS1: the child is begun, but what is left to do stays with its parent. */
export const tasksStayBehind: Change = {
  file: 'services/work/resume-work-session.ts',
  find: '    ...task,\n    session_id: child.id,\n',
  replace: '    ...task,\n',
  inThread: true,
}

/** AP8: an agent that is back is told of no decision, and so asks again. */
export const decisionsStayBehind: Change = {
  file: 'services/flows/work/next-step.ts',
  find: "decision.status !== 'pending' && told_to !== at.agentSessionId",
  replace: "decision.status === 'pending' && told_to !== at.agentSessionId",
  inThread: true,
}

/** DC2: the chapter is there, and agents are handed its messages all the same. */
export const chapterNotLeft: Change = {
  file: 'services/conversations/conversation-record.ts',
  find: '  await tx.write(leaveChapter, { key, ...left })\n',
  replace: '',
}

/** DC4: a note is written where it lies. */
export const noteInPlace: Change = {
  file: 'platform/files/atomic-file.ts',
  find: "  const file = await open(temporary, 'wx', mode)\n",
  replace: `  if (path.endsWith('.md')) return writeAndSync(await open(path, 'w', mode), write)
  const file = await open(temporary, 'wx', mode)
`,
}

/** RL4: a client that resumes misses the message behind the last one it has. */
export const resumeSkipsOne: Change = {
  file: 'doors/relay/relay.ts',
  find: 'new Map([[stream, lastSeq]])',
  replace: 'new Map([[stream, lastSeq === 0 ? 0 : lastSeq + 1]])',
}

/** UI6: a store in which anything has happened is taken for one that has had its demo. */
export const begunByAnything: Change = {
  file: 'jobs/start-jobs.ts',
  find: 'if (!(await store.query(needsDemo, {}))) return',
  replace: "if ((await store.positions(['home']))[0]?.head !== 0) return",
}

/** NA5: not broken, but what takes a minute there takes half a second, so that turns outlast it. */
export const hastyClosings: readonly Change[] = [
  {
    file: 'domain/agent-sessions/expiry.ts',
    find: 'maxTerminatingMs = 60_000',
    replace: 'maxTerminatingMs = 500',
  },
  {
    file: 'jobs/due-agent-sessions.ts',
    find: 'const everyMs = 2000',
    replace: 'const everyMs = 100',
  },
]

/**
 * NA5: an agent that was asked to go is given up after that time, whatever it is at; its process is
 * not.
 */
export const turnsGivenUp: readonly Change[] = [
  { file: 'domain/agent-sessions/expiry.ts', find: '    !facts.hasRunningTurn &&\n', replace: '' },
  {
    file: 'domain/agent-sessions/expiry.ts',
    find: "reason: 'closed', stopsProcess: true",
    replace: "reason: 'closed', stopsProcess: false",
  },
]

/**
 * CO3: a process is replaced beside itself, though it has a turn in hand or was told to go and has
 * not gone.
 */
export const replacedBesideItself: Change = {
  file: 'services/processes/launch-record.ts',
  find: '    if (launch.stopReason !== null || (await hasOrphanedTurn(reader, launch))) return true\n',
  replace: '',
}

/** CX1: an agent has one context for all that it talks with. */
export const oneContextForAll: Change = {
  file: 'services/turns/context-record.ts',
  find: '  const found = await tx.first(selectContextOf, contextKey)\n',
  replace: `  const ofChat = \`web:\${contextKey.projectId}.\${contextKey.agentId}\`
  contextKey = { ...contextKey, key: ofChat, originKey: '' }
  const found = await tx.first(selectContextOf, contextKey)
`,
  inThread: true,
}

/** CO12, RE10: the coordinator of the build before is replaced, and its turns are gone with it. */
export const coordinatorReplaced: Change = {
  file: 'protocol/processes/link.ts',
  find: 'export const linkVersion = 2',
  replace: 'export const linkVersion = 3',
}
