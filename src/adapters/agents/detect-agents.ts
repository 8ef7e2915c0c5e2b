/**
 * Detects which known agents are installed on this machine, and their versions (AG5). Searches PATH and runs each program with a
 * time limit and without a shell. Results are cached for a minute, because programs take long to answer.
 */
import { spawn } from 'node:child_process'
import type { Clock } from '../../platform/clock.ts'
import { findProgram } from '../../platform/find-program.ts'
import type { DetectedAgent } from '../../protocol/agents/detected-agent.ts'
import { holdSeconds, type KnownAgent, knownAgents } from './known-agents.ts'

const believedMs = 60_000
const defaultPatienceMs = 10_000
const maxVersionText = 16 * 1024

export interface DetectionOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** Time a program has to print its version. */
  readonly patienceMs?: number
}

export type DetectAgents = () => Promise<readonly DetectedAgent[]>

/** Concurrent callers share one detection. */
export function agentDetection({ clock, env, patienceMs = defaultPatienceMs }: DetectionOptions): DetectAgents {
  let found: { readonly agents: Promise<readonly DetectedAgent[]>; readonly until: number } | undefined
  return () => {
    if (!found || clock.now() >= found.until)
      found = { agents: detectAgents({ env, patienceMs }), until: clock.now() + believedMs }
    return found.agents
  }
}

interface Detection extends Required<Omit<DetectionOptions, 'clock'>> {
  /** Versions by file: a program with several recipes is run once. */
  readonly versions: Map<string, Promise<string | null>>
}

async function detectAgents(options: Omit<Detection, 'versions'>): Promise<readonly DetectedAgent[]> {
  const detection = { ...options, versions: new Map() }
  const found = await Promise.all(Object.entries(knownAgents).map(([id, known]) => lookFor(id, known, detection)))
  return found.filter((each) => each !== undefined)
}

async function lookFor(id: string, known: KnownAgent, detection: Detection): Promise<DetectedAgent | undefined> {
  const { name, protocol, command, triedWith, args, env, setup } = known
  const file = await findProgram(command, detection.env)
  if (file === undefined) return undefined
  const version = detection.versions.get(file) ?? versionOf(file, detection)
  detection.versions.set(file, version)
  const draft = { id, name, protocol, command, args: [...args], env: { ...env }, holdSeconds }
  return { id, name, file, version: await version, triedWith, draft, setup }
}

/** Returns the first part of its output that looks like a version. */
async function versionOf(file: string, { env, patienceMs }: Detection): Promise<string | null> {
  const group = process.platform !== 'win32'
  const child = spawn(file, ['--version'], { env: minimalEnvironment(env), stdio: ['ignore', 'pipe', 'ignore'], detached: group })
  const end = (): void => {
    // Ends its child processes too.
    if (child.pid === undefined) return
    try {
      process.kill(group ? -child.pid : child.pid, 'SIGKILL')
    } catch {
      // The process has already exited.
    }
  }
  const timer = setTimeout(end, patienceMs)
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
    if (written.length > maxVersionText) end()
  })
  await new Promise<void>((resolve) => child.once('close', resolve).once('error', () => resolve()))
  clearTimeout(timer)
  return /\d+\.\d+[\w.+-]{0,40}/.exec(written.slice(0, maxVersionText))?.[0] ?? null
}

/** A minimal environment without the server's secrets, because a program found on PATH is not trusted with them. */
function minimalEnvironment({ PATH, HOME, LANG }: DetectionOptions['env']): NodeJS.ProcessEnv {
  return { PATH, HOME, LANG, TERM: 'dumb' }
}
