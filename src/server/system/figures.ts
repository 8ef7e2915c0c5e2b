/**
 * Counters for operators (OP1): plain numbers, cheap enough for every request; metrics.ts writes
 * them out.
 */
import type { ErrorCode } from '../../domain/errors.ts'
import type { UnknownSent } from '../../protocol/processes/process.ts'

/** Upper bounds of the latency buckets in seconds. */
export const latencyEdges = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

export interface Latency {
  readonly method: string
  readonly route: string
  readonly status: number
  /** One count per bound and one for everything slower; not cumulative. */
  readonly counts: number[]
  sum: number
}

export interface ChannelFigures {
  /** 1 while this server is connected to the channel. */
  connected: number
  received: number
  sent: number
  failures: number
}

/** Names of things that agents sent, of all agents; the rest is `other`. */
const maxUnknownNames = 200

export class Figures {
  readonly latencies = new Map<string, Latency>()
  readonly refused = new Map<ErrorCode, number>()
  /** AC10, by kind and name. */
  readonly unknown = new Map<string, UnknownSent>()
  feedBytes = 0
  feedEvents = 0
  /** Counters by channel name, only of channels this server runs. */
  readonly channels = new Map<string, ChannelFigures>()

  /** `route` is the pattern, not the path, so that the number of series is bounded. */
  answered(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${route} ${status}`
    let latency = this.latencies.get(key)
    if (!latency) {
      latency = {
        method,
        route,
        status,
        counts: Array<number>(latencyEdges.length + 1).fill(0),
        sum: 0,
      }
      this.latencies.set(key, latency)
    }
    const index = latencyEdges.findIndex((edge) => seconds <= edge)
    const at = index === -1 ? latencyEdges.length : index
    latency.counts[at] = (latency.counts[at] ?? 0) + 1
    latency.sum += seconds
  }

  sentUnknown({ kind, name, count }: UnknownSent): void {
    const figures =
      this.unknown.has(`${kind} ${name}`) || this.unknown.size < maxUnknownNames ? name : 'other'
    const before = this.unknown.get(`${kind} ${figures}`)?.count ?? 0
    this.unknown.set(`${kind} ${figures}`, { kind, name: figures, count: before + count })
  }

  refusedWith(code: ErrorCode): void {
    this.refused.set(code, (this.refused.get(code) ?? 0) + 1)
  }
}
