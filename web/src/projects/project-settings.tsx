/** The settings tab of a project: its name and folder, its timing and limits, and its end. */

import { useMay } from '../live/queries.ts'
import { useWords } from '../translations/messages.tsx'
import { BehaviourSettings } from './behaviour-settings.tsx'
import { DeleteProject } from './delete-project.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { SetUpSettings } from './set-up-settings.tsx'
import { useProject } from './use-project.ts'

export function ProjectSettings() {
  const words = useWords()
  const project = useProject()
  const mayWrite = useMay('write')
  const mayManage = useMay('manage')
  if (!project) return null
  return (
    <>
      {!mayWrite && <p className="text-quiet">{words.project.mayNot}</p>}
      <GeneralSettings
        key={`general-${project.id}`}
        project={project}
        mayWrite={mayWrite}
        mayManage={mayManage}
      />
      <BehaviourSettings
        key={`behaviour-${project.id}`}
        project={project}
        mayWrite={mayWrite}
        mayManage={mayManage}
      />
      {mayManage && <SetUpSettings key={`set-up-${project.id}`} projectId={project.id} />}
      {mayManage && <DeleteProject project={project} />}
    </>
  )
}
