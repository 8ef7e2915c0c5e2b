/**
 * A link to a conversation, wherever its kind is shown: a chat, a role of a console, another
 * session of an agent, or its messages.
 */
import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { hasAgent, userSessionOf } from '../../shell/listed-views.ts'
import { parseWebAddress } from '../web-address.ts'

interface TalkLinkProps extends Pick<ComponentProps<'a'>, 'className' | 'title'> {
  readonly conversationKey: string
  readonly projectId: string | null
  readonly children: ReactNode
  readonly 'data-row'?: boolean
}

export function TalkLink({ conversationKey: key, projectId, ...rest }: TalkLinkProps) {
  const chat = parseWebAddress(key)
  const userSessionId = userSessionOf(key)
  if (chat) return <Link to="/projects/$projectId/chat/$agentId" params={chat} {...rest} />
  if (projectId !== null && userSessionId !== undefined)
    return (
      <Link
        to="/projects/$projectId/console/$userSessionId"
        params={{ projectId, userSessionId }}
        {...rest}
      />
    )
  if (projectId !== null && hasAgent(key))
    return <Link to="/projects/$projectId/session/$key" params={{ projectId, key }} {...rest} />
  return <Link to="/conversations/$key" params={{ key }} {...rest} />
}
