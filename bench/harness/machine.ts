/** Where the figures were taken and how busy it was there, without saying whose machine it was. */
import { cpus, loadavg, totalmem } from 'node:os'

export function machineLine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = (loadavg()[0] ?? 0).toFixed(1)
  return `${cpus().length} x ${first?.model.trim() ?? 'processor'}, ${memory} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}, load ${load}`
}
