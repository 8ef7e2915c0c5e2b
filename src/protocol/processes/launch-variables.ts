/**
 * What a launch tells its process (CO4), and may be written into an agent's arguments as `${HOLDFAST_AGENT_ID}`: there is no shell
 * that would fill them in, and one entry serves many projects. The token is not among them: arguments can be seen by everybody.
 */
const fillable: ReadonlySet<string> = new Set([
  'HOLDFAST_URL',
  'HOLDFAST_MCP_URL',
  'HOLDFAST_AGENT_ID',
  'HOLDFAST_PROJECT_ID',
  'HOLDFAST_LAUNCH_ID',
])

/** What is not known stays as it is. */
export const filledIn = (args: readonly string[], values: Readonly<Record<string, string>>): string[] =>
  args.map((arg) =>
    arg.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => (fillable.has(name) ? (values[name] ?? whole) : whole)),
  )
