/** Says which session another one was forked from, with the way there (FS9). */
import { useQuery } from '@tanstack/react-query'
import { BranchIcon } from '../../parts/icons.tsx'
import { useWords } from '../../translations/messages.tsx'
import { conversation } from '../conversation-queries.ts'
import { useNameOf } from '../titles.ts'
import { TalkLink } from './talk-link.tsx'

export function ForkedFrom({ origin: { key } }: { origin: { readonly key: string } }) {
  const { files: words } = useWords()
  const { data } = useQuery({ ...conversation(key), retry: false })
  const nameOf = useNameOf()
  return (
    <p data-forked className="flex min-w-0 items-center gap-2 pt-2 text-sm text-quiet">
      <BranchIcon />
      <span className="shrink-0">{words.forkedFrom}</span>
      <TalkLink
        conversationKey={key}
        projectId={data?.projectId ?? null}
        className="min-w-0 truncate underline decoration-edge underline-offset-2 hover:text-ink"
      >
        {nameOf(data ?? { key })}
      </TalkLink>
    </p>
  )
}
