/** What one reader has seen, event by event, and what was wrong with it. */
import type { StreamName } from '../../../src/domain/stream-name.ts'
import { type Findings, noFindings } from '../oracle.ts'

export class Sightings {
  readonly findings: Findings = noFindings()
  count = 0
  readonly #last = new Map<StreamName, number>()
  readonly #missing = new Map<StreamName, Set<number>>()

  see(stream: StreamName, seq: number): void {
    this.count++
    const last = this.#last.get(stream) ?? 0
    const missing = this.#missing.get(stream) ?? new Set()
    this.#missing.set(stream, missing)
    if (seq > last) {
      for (let skipped = last + 1; skipped < seq; skipped++) missing.add(skipped)
      this.#last.set(stream, seq)
    } else if (missing.delete(seq))
      this.findings.reordered.push(`${stream} ${seq} came after ${last}`)
    else this.findings.doubled.push(`${stream} ${seq} came twice`)
  }

  hasReached(heads: ReadonlyMap<StreamName, number>): boolean {
    return [...heads].every(([stream, head]) => (this.#last.get(stream) ?? 0) >= head)
  }

  /** When nothing more is to come. */
  end(heads: ReadonlyMap<StreamName, number>): Findings {
    for (const [stream, head] of heads) {
      for (let seq = (this.#last.get(stream) ?? 0) + 1; seq <= head; seq++)
        this.findings.lost.push(`${stream} ${seq} never came`)
      for (const seq of this.#missing.get(stream) ?? [])
        this.findings.lost.push(`${stream} ${seq} was passed over`)
    }
    return this.findings
  }
}
