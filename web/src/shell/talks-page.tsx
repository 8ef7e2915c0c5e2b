/** The sidebar's projects as a place of its own, for phones. */
import { Link } from '@tanstack/react-router'
import { useMay } from '../live/queries.ts'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Page } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'
import { ProjectList } from './project-list.tsx'

export function TalksPage() {
  const words = useWords()
  const mayWrite = useMay('write')
  return (
    <Page
      title={words.places.talks}
      actions={
        mayWrite && (
          <Link to="." search={{ new: 'project' }} className={buttonClass()}>
            <PlusIcon />
            {words.projects.new}
          </Link>
        )
      }
    >
      <ProjectList />
    </Page>
  )
}
