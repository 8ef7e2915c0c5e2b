/** Where the figures were taken, without saying whose machine it was. */
import { cpus, totalmem } from 'node:os'

export function machineLine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} x ${first?.model.trim() ?? 'processor'}, ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`
}
