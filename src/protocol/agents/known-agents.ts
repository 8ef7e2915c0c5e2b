/** The agents that are known, each in a file of `known/`, and how one is recognized. */
import { claude } from './known/claude.ts'
import { codex } from './known/codex.ts'
import { copilot } from './known/copilot.ts'
import { gemini } from './known/gemini.ts'
import { goose } from './known/goose.ts'
import { opencode } from './known/opencode.ts'
import { pi } from './known/pi.ts'
import { qwen } from './known/qwen.ts'
import type { KnownAgent, Quirk, Recipe } from './known-agent.ts'

export const knownAgents: readonly KnownAgent[] = [
  claude,
  codex,
  gemini,
  opencode,
  copilot,
  pi,
  qwen,
  goose,
]

export interface KnownRecipe extends Recipe {
  /** The id that is proposed for an entry. */
  readonly id: string
  readonly protocol: 'acp' | 'mcp'
  readonly agent: KnownAgent
}

/** Each agent in each way it can be started: those that pull first. */
export const knownRecipes: readonly KnownRecipe[] = [
  ...knownAgents.flatMap((agent) =>
    agent.pulls ? [{ ...agent.pulls, id: agent.id, protocol: 'mcp' as const, agent }] : [],
  ),
  ...knownAgents.flatMap((agent) =>
    agent.acp ? [{ ...agent.acp, id: `${agent.id}-acp`, protocol: 'acp' as const, agent }] : [],
  ),
]

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export interface StartedProgram {
  readonly command: string | null
  readonly args: readonly string[]
  /** What it answered when it was tried (`agents doctor`); left out before that. */
  readonly agentInfo?: { readonly name: string } | null | undefined
}

/**
 * The known agent that an entry starts, undefined for others: the one that it has answered to be.
 * By its program, or by a package given to npx, before it has answered, and where nobody knows what
 * that agent answers.
 */
export function knownAgentOf({ command, args, agentInfo }: StartedProgram): KnownAgent | undefined {
  const byFile = knownByFile({ command, args })
  if (!agentInfo) return byFile
  return agentAnswering(agentInfo.name) ?? (byFile?.acpName === null ? byFile : undefined)
}

function knownByFile({ command, args }: StartedProgram): KnownAgent | undefined {
  const words = [baseName(command ?? ''), ...args]
  const isOf = ({ packages, acp, pulls }: KnownAgent): boolean =>
    [acp, pulls].some(
      (recipe) => recipe && (recipe.program === words[0] || isSame(recipe, words)),
    ) ||
    packages.some((name) => baseName(name) === words[0]) ||
    (words[0] === 'npx' &&
      packages.some((name) => words.some((word) => word === name || word.startsWith(`${name}@`))))
  return knownAgents.find(isOf)
}

/** A recipe that starts a shell is recognized by its script. */
const isSame = ({ command, args }: Recipe, words: readonly string[]): boolean =>
  command === words[0] && args[1] === words[2]

/**
 * The known agent with this name in ACP's `agentInfo`, which earlier adapters have as their
 * package's.
 */
export const agentAnswering = (acpName: string): KnownAgent | undefined =>
  knownAgents.find((agent) => agent.acpName === acpName || agent.packages.includes(acpName))

/** Whether the agent with this name in ACP's `agentInfo` is known to do this. */
export const hasQuirk = (acpName: string, quirk: Quirk): boolean =>
  agentAnswering(acpName)?.quirks.includes(quirk) ?? false
