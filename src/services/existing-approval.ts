/** An approval of a project; one of another project is not there. */
import { type ApprovalRow, selectApproval } from '../store/queries/approvals.ts'
import { selectProject } from '../store/queries/projects.ts'
import type { Reader } from '../store/store.ts'
import { noSuchApproval, noSuchProject } from './refusals.ts'

interface Place {
  readonly projectId: string
  readonly approvalId: number
}

export async function existingApproval(reader: Reader, { projectId, approvalId }: Place): Promise<ApprovalRow> {
  if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.first(selectApproval, { id: approvalId })
  if (row?.project_id !== projectId) throw noSuchApproval(approvalId)
  return row
}

/** SE3: to an agent, what others asked for is not there. */
export async function approvalOfAgent(reader: Reader, place: Place, agentId: string): Promise<ApprovalRow> {
  const row = await existingApproval(reader, place)
  if (row.leader_id !== agentId) throw noSuchApproval(place.approvalId)
  return row
}
