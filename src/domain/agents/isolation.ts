/**
 * How a process of an agent is isolated (SB1), chosen for the agent and, in a project, for its
 * assignment. What the assignment leaves out is the agent's; what both allow is allowed. Pure.
 */
export const sandboxModes = ['off', 'workplace', 'strict'] as const
export type SandboxMode = (typeof sandboxModes)[number]

/** The modes stand from the loosest to the strictest. */
export const stricterSandbox = (one: SandboxMode, other: SandboxMode): SandboxMode =>
  sandboxModes.indexOf(one) > sandboxModes.indexOf(other) ? one : other

/** As stored: only what was chosen. */
export interface ChosenIsolation {
  readonly sandbox?: SandboxMode | null | undefined
  readonly allow?: Allowed | null | undefined
  /** A command put in front of the agent's. */
  readonly wrapper?: readonly string[] | null | undefined
  readonly gateway?: Gateway | null | undefined
}

/**
 * How its requests to a model leave (GW1): to this address, with the project's secret of this name
 * as the key.
 */
export interface Gateway {
  readonly upstream: string
  readonly secret: string
  /** For agents that must be told which model to ask for. */
  readonly model?: string | null | undefined
}

export interface Allowed {
  /** Folders that can be read. */
  readonly folders: readonly string[]
  /** Hosts that can be reached: `name`, `name:port` or `*.name`. */
  readonly hosts: readonly string[]
  /**
   * What the own home of an agent that nobody knows begins with (SB14). Of earlier builds there is
   * none.
   */
  readonly state?: readonly string[] | undefined
}

export interface Isolation {
  readonly sandbox: SandboxMode
  readonly allow: Required<Allowed>
  readonly wrapper: readonly string[] | null
  readonly gateway: Gateway | null
}

/** The stored text with the given fields replaced. Null takes a choice back. */
export function changedIsolation(stored: string, chosen: ChosenIsolation): string {
  const before = JSON.parse(stored) as ChosenIsolation
  const names = ['sandbox', 'allow', 'wrapper', 'gateway'] as const
  return JSON.stringify(
    Object.fromEntries(
      names.map((name) => [
        name,
        chosen[name] === undefined ? before[name] : (chosen[name] ?? undefined),
      ]),
    ),
  )
}

export function isolationOf(agent: string, assignment = '{}'): Isolation {
  const [own, here] = [JSON.parse(agent), JSON.parse(assignment)] as ChosenIsolation[]
  const both = (of: keyof Allowed): string[] => [
    ...new Set([own, here].flatMap((chosen) => chosen?.allow?.[of] ?? [])),
  ]
  return {
    sandbox: here?.sandbox ?? own?.sandbox ?? 'off',
    allow: { folders: both('folders'), hosts: both('hosts'), state: both('state') },
    wrapper: here?.wrapper ?? own?.wrapper ?? null,
    gateway: here?.gateway ?? own?.gateway ?? null,
  }
}
