/** `resume_from_file` (CK7): work is taken up from its files, by a person's own tool. */
import * as z from 'zod'
import { allows } from '../../../domain/credential/scopes.ts'
import { Refusal } from '../../../domain/errors.ts'
import { ProjectPath } from '../../../protocol/project.ts'
import { Missing, NotRestored, workSessionIn } from '../../../protocol/resume.ts'
import { resumeFromFile as resume } from '../../agents/resume-work.ts'
import { defineTool, writesOnce } from '../tool.ts'

export const resumeFromFile = defineTool({
  name: 'resume_from_file',
  title: 'For the owner: continue work from its checkpoint file',
  description:
    'For people’s own tools, with a credential that may manage; agents do not need it. Takes interrupted work up from the ' +
    'state_checkpoint.json at a path on the machine of the server, though the database may know nothing of it. The file must lie below the ' +
    'projects of the data folder or in the folder of a project. Called again while that work runs, it answers the same work session.',
  annotations: writesOnce,
  input: z.strictObject({ path: ProjectPath.describe('Absolute path of a state_checkpoint.json, or of its folder') }),
  output: z.object({
    session_id: z.string(),
    project_id: z.string(),
    parent_session_id: z.string().nullable(),
    begun: z.boolean().describe('false: it was going on already'),
    not_restored: z.array(NotRestored),
    missing: z.array(Missing).describe('What is needed before anything starts'),
  }),
  run: async ({ path }, { doors, presented: { who } }) => {
    if (!allows(who.scopes, 'manage')) throw new Refusal('missing_scope', undefined, { scope: 'manage' })
    const { begun, resumed } = await resume(doors, who, path)
    const { id: session_id, projectId: project_id, parentSessionId: parent_session_id } = workSessionIn(resumed)
    return { session_id, project_id, parent_session_id, begun, not_restored: resumed.notRestored, missing: resumed.missing }
  },
})
