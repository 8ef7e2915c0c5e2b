/** The sidebar's projects as a place of its own, for phones. */
import { Page } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'
import { ProjectList } from './project-list.tsx'

export function TalksPage() {
  const words = useWords()
  return (
    <Page title={words.places.talks}>
      <ProjectList />
    </Page>
  )
}
