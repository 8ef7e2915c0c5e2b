/**
 * Writer threads that serve one store after the other. Hundreds of tests open a store of their own,
 * and nearly all that this costs is the start of its thread. A thread serves one store at a time;
 * as many are kept as a test had open at once.
 */
import { EventEmitter } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { environmentOfThreads } from '../../src/store/sqlite/writer.ts'
import type {
  StartWriter,
  WriterStart,
  WriterThread,
} from '../../src/store/sqlite/writer-messages.ts'
import type { NextStore } from './warm-writer-thread.ts'

/** Idle threads kept for each entry. */
const maxIdle = 2
const idle = new Map<string, Worker[]>()

/** `entry` is one of those that bundle-writers.ts bundles. */
export const startWarmWriter: StartWriter = (entry, start) => startThread(entry, start)

/** `report` gets what its use cases read or wrote without a lock (watched-use-cases.ts). */
export const startWatchedWriter =
  (report: (unlocked: string) => void): StartWriter =>
  (entry, start) =>
    startThread(entry, start, report)

function startThread(
  entry: URL,
  start: WriterStart,
  report?: (unlocked: string) => void,
): WriterThread {
  const threads = idle.get(entry.href) ?? []
  idle.set(entry.href, threads)
  const thread = threads.pop() ?? new Worker(entry, { env: environmentOfThreads() })
  // The thread keeps no process alive: a caller that waits for its store waits on the port.
  thread.unref()
  const { port1: port, port2 } = new MessageChannel()
  const events = new EventEmitter()
  let lost = false
  const fail = (error: unknown): void => {
    lost = true
    events.emit('error', error)
    port.close()
  }
  thread.on('error', fail)
  port.on('message', (reply: string | { unlocked: string }) => {
    if (typeof reply === 'string') events.emit('message', reply)
    else report?.(reply.unlocked)
  })
  port.on('close', () => {
    thread.off('error', fail)
    if (threads.length < maxIdle && !lost) threads.push(thread)
    else void thread.terminate()
    events.emit('exit')
  })
  const next: NextStore = { port: port2, start, watched: report !== undefined }
  thread.postMessage(next, [port2])
  return Object.assign(events, {
    postMessage: (text: string) => port.postMessage(text),
  }) as WriterThread
}
