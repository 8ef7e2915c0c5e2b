/**
 * `GET /metrics` (HT5, OP1) as Prometheus text. By hand: a library costs as much start time as the
 * HTTP server.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { coordinatorStates } from '../../protocol/processes/coordinator.ts'
import { processStates } from '../../protocol/processes/process.ts'
import type { Counted, ProcessCounts } from '../../services/processes/queries.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { type ChannelFigures, type Figures, latencyEdges } from './figures.ts'

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [labels: Labels, value: number, suffix?: string]

/** Started by the first scrape. */
let loopDelay: ReturnType<typeof monitorEventLoopDelay> | undefined

export function metricsText(deps: ServerDependencies, counts: ProcessCounts): string {
  const { figures, connections } = deps
  const store = deps.store.figures()
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  const one = (value: number): Sample[] => [[{}, value]]
  return [
    family('holdfast_build_info', 'gauge', 'The version that runs', [
      [{ version: deps.version, node: process.version }, 1],
    ]),
    family(
      'process_cpu_seconds_total',
      'counter',
      'CPU time used',
      one((cpu.user + cpu.system) / 1e6),
    ),
    family('process_resident_memory_bytes', 'gauge', 'Resident memory', one(memory.rss)),
    family(
      'process_start_time_seconds',
      'gauge',
      'When the process started',
      one(Math.round(performance.timeOrigin) / 1000),
    ),
    family('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use', one(memory.heapUsed)),
    family('nodejs_heap_size_total_bytes', 'gauge', 'Heap reserved', one(memory.heapTotal)),
    family(
      'nodejs_external_memory_bytes',
      'gauge',
      'Memory outside the heap',
      one(memory.external),
    ),
    family(
      'nodejs_eventloop_lag_p99_seconds',
      'gauge',
      'Lateness of the event loop since the last scrape',
      one(lagSeconds()),
    ),
    family('holdfast_http_request_duration_seconds', 'histogram', 'Time to answer, by route', [
      ...latencySamples(figures),
    ]),
    family('holdfast_refused_total', 'counter', 'Requests and messages refused, by code', [
      ...refusedSamples(figures),
    ]),
    family(
      'holdfast_agent_unknown_total',
      'counter',
      'What ACP agents sent that is not known, by kind and name',
      [...unknownSamples(figures)],
    ),
    family(
      'holdfast_gateway_total',
      'counter',
      'What agents asked models for through the gateway',
      [...modelSamples(counts)],
    ),
    family(
      'holdfast_websockets_open',
      'gauge',
      'Open WebSockets',
      one(connections.count('websocket')),
    ),
    family(
      'holdfast_event_streams_open',
      'gauge',
      'Open server-sent event streams',
      one(connections.count('event-stream')),
    ),
    family(
      'holdfast_followed_streams',
      'gauge',
      'Streams of the log that somebody follows',
      one(deps.tails.size),
    ),
    family(
      'holdfast_feed_events_total',
      'counter',
      'Events handed to followers',
      one(figures.feedEvents),
    ),
    family(
      'holdfast_feed_bytes_total',
      'counter',
      'Bytes handed to followers',
      one(figures.feedBytes),
    ),
    family(
      'holdfast_feed_waiting_bytes',
      'gauge',
      'Bytes that followers have not taken yet',
      one(connections.waitingBytes),
    ),
    family(
      'holdfast_held_calls',
      'gauge',
      'Calls of agents that wait for something to do',
      one(deps.agents.waitingCalls.size),
    ),
    family(
      'holdfast_processes',
      'gauge',
      'Processes of agents that have not ended, by state',
      byState(liveStates, counts.processes),
    ),
    family(
      'holdfast_coordinators',
      'gauge',
      'Coordinators, by state',
      byState(coordinatorStates, counts.coordinators),
    ),
    family(
      'holdfast_channel_connected',
      'gauge',
      'Whether this server is connected to a channel',
      of(figures, 'connected'),
    ),
    family(
      'holdfast_channel_received_total',
      'counter',
      'Messages taken from a channel',
      of(figures, 'received'),
    ),
    family(
      'holdfast_channel_sent_total',
      'counter',
      'Messages sent to a channel',
      of(figures, 'sent'),
    ),
    family(
      'holdfast_channel_failures_total',
      'counter',
      'Connections to a channel that failed',
      of(figures, 'failures'),
    ),
    family(
      'holdfast_store_waiting',
      'gauge',
      'Use cases waiting for the writer',
      one(store.waiting),
    ),
    family('holdfast_store_commits_total', 'counter', 'Commits', one(store.commits)),
    family('holdfast_store_use_cases_total', 'counter', 'Use cases run', one(store.useCases)),
    family('holdfast_store_refused_total', 'counter', 'Use cases refused', one(store.refused)),
    family('holdfast_store_retried_total', 'counter', 'Use cases run again', one(store.retried)),
    family('holdfast_store_wal_bytes', 'gauge', 'Size of the write-ahead log', one(store.walBytes)),
  ].join('')
}

const of = ({ channels }: Figures, name: keyof ChannelFigures): Sample[] =>
  [...channels].map(([channel, figures]) => [{ channel }, figures[name]])

const liveStates = processStates.filter((state) => state !== 'ended')

/** Lists every state, also empty ones, so that series do not come and go. */
const byState = (states: readonly string[], counted: readonly Counted[] | null): Sample[] =>
  counted === null
    ? []
    : states.map((state) => [
        { state },
        Number(counted.find((each) => each.state === state)?.count ?? 0),
      ])

function family(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(
    ([labels, value, suffix = '']) => `${name}${suffix}${labelText(labels)} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, '\\$&')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function* latencySamples({ latencies }: Figures): Generator<Sample> {
  for (const { method, route, status, counts, sum } of latencies.values()) {
    const labels = { method, route, status }
    let total = 0
    for (const [index, count] of counts.entries()) {
      total += count
      yield [{ ...labels, le: latencyEdges[index] ?? '+Inf' }, total, '_bucket']
    }
    yield [labels, sum, '_sum']
    yield [labels, total, '_count']
  }
}

function* refusedSamples({ refused }: Figures): Generator<Sample> {
  for (const [code, count] of refused) yield [{ code }, count]
}

function* unknownSamples({ unknown }: Figures): Generator<Sample> {
  for (const { kind, name, count } of unknown.values()) yield [{ kind, name }, count]
}

/** The same on every node of a cluster. */
function* modelSamples({ models }: ProcessCounts): Generator<Sample> {
  for (const { agentId: agent, model, atLeast: _, ...counts } of models ?? [])
    for (const [what, count] of Object.entries(counts)) yield [{ agent, model, what }, count]
}

function lagSeconds(): number {
  if (!loopDelay) {
    loopDelay = monitorEventLoopDelay({ resolution: 20 })
    loopDelay.enable()
  }
  const nanoseconds = loopDelay.count === 0 ? 0 : loopDelay.percentile(99)
  loopDelay.reset()
  return nanoseconds / 1e9
}
