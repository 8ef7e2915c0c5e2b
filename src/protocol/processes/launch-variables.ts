/**
 * Variables of a launch (CO4) that can be used in an agent's arguments, as `${HOLDFAST_AGENT_ID}`: there is no shell to expand
 * them, and one entry serves many projects. The token is not among them, because arguments are visible to other users.
 */
const fillable: ReadonlySet<string> = new Set([
  'HOLDFAST_URL',
  'HOLDFAST_MCP_URL',
  'HOLDFAST_AGENT_ID',
  'HOLDFAST_PROJECT_ID',
  'HOLDFAST_LAUNCH_ID',
])

/** Unknown variables stay as they are. */
export const filledIn = (args: readonly string[], values: Readonly<Record<string, string>>): string[] =>
  args.map((arg) =>
    arg.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => (fillable.has(name) ? (values[name] ?? whole) : whole)),
  )
