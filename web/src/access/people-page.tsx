/** The people who may use this installation, and the tokens of programs. */
import { useMay } from '../live/queries.ts'
import { Page } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'
import { Editors } from './editors.tsx'
import { PeopleList } from './people-list.tsx'
import { TokenList } from './token-list.tsx'

export function PeoplePage() {
  const words = useWords()
  const mayManage = useMay('manage')
  return (
    <Page title={words.people.title}>
      <PeopleList mayManage={mayManage} />
      <Editors mayManage={mayManage} />
      {mayManage ? <TokenList /> : <p className="text-quiet">{words.tokens.ownersOnly}</p>}
    </Page>
  )
}
