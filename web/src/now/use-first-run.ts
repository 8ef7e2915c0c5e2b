/**
 * Whether this is a first run (UI6): there is no project besides the demo's. Until something has
 * run the demo is not shown either.
 */
import { useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Home } from '../live/home.ts'
import { coordinators, newestProcess } from '../live/processes.ts'
import { useHome, useMay } from '../live/queries.ts'

/** As an agent's command, `holdfast` is this program. */
export const isDemo = ({ command, args }: Agent): boolean =>
  command === 'holdfast' && /^demo-(?:acp|mcp)$/.test(args[0] ?? '')

const isPrompted = (agent: Agent): boolean => isDemo(agent) && agent.protocol === 'acp'

export interface Demo {
  readonly project: Project
  readonly agent: Agent
}

function demoIn({ projects, agents }: Home): Demo | undefined {
  for (const project of projects) {
    const agent = agents.find((each) => isPrompted(each) && project.agentIds.includes(each.id))
    if (agent) return { project, agent }
  }
  return undefined
}

interface FirstRun {
  readonly demo: Demo | undefined
  /** The demo was looked at: it has its place beside the first run. */
  readonly hasRun: boolean
}

/** Undefined: it is none, or not known yet. */
export function useFirstRun(): FirstRun | undefined {
  const home = useHome()
  const mayManage = useMay('manage')
  const demo = home && demoIn(home)
  const may = mayManage && (home?.projects.every(({ id }) => id === demo?.project.id) ?? false)
  const machines = useQuery({ ...coordinators, enabled: may }).data
  const ran = useQuery({ ...newestProcess, enabled: may }).data
  const canStart = machines?.some(({ state }) => state === 'connected') ?? false
  return may && canStart && ran ? { demo, hasRun: ran.length > 0 } : undefined
}
