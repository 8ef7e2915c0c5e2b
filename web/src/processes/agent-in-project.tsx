/** An agent and its project in one line, for the rows of processes and agent sessions. */
export const AgentInProject = ({ agent, project }: { agent: string; project: string }) => (
  <span className="min-w-0 truncate">
    <span className="font-medium">{agent}</span>
    <span className="text-quiet"> · {project}</span>
  </span>
)
