/**
 * What a sandbox may use of its machine (SB13), as the server's settings say it to coordinators.
 */
import { configRules } from '../config.ts'

export interface SandboxLimits {
  /** Processes and their threads at once. */
  readonly maxProcesses: number
  /** For all its processes together. */
  readonly maxMemoryMb: number
  /** For a single file. */
  readonly maxFileMb: number
  /** For each temporary folder. */
  readonly maxTmpMb: number
  /** What one process adds to its workplace. */
  readonly maxWorkplaceMb: number
}

/** The settings, from their keys; the defaults where nothing is given. */
export const sandboxLimits = (
  config: { readonly [Key in LimitKey]?: number } = {},
): SandboxLimits => ({
  maxProcesses: of(config, 'sandbox.max_processes'),
  maxMemoryMb: of(config, 'sandbox.max_memory_mb'),
  maxFileMb: of(config, 'sandbox.max_file_mb'),
  maxTmpMb: of(config, 'sandbox.max_tmp_mb'),
  maxWorkplaceMb: of(config, 'sandbox.max_workplace_mb'),
})

type LimitKey = Extract<keyof typeof configRules, `sandbox.max_${string}`>

const of = (config: { readonly [Key in LimitKey]?: number }, key: LimitKey): number =>
  config[key] ?? configRules[key].fallback
