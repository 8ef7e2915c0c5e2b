/**
 * The chats of a channel: those that ask, to be let in or refused, and those somebody has decided
 * about.
 */
import { useState } from 'react'
import type { ChannelChat, ChannelRoute } from '../../../src/protocol/channels/channel.ts'
import { refreshChannels } from '../live/channels.ts'
import { client } from '../live/queries.ts'
import { type RequestOptions, useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { RouteChoice } from './route-choice.tsx'
import { useChannelWords } from './words.ts'

interface ListProps {
  readonly chats: readonly ChannelChat[]
  readonly mayManage: boolean
}

export function AskingChats({ chats, mayManage }: ListProps) {
  const words = useChannelWords()
  return (
    <Section title={words.asking} note={words.askingNote}>
      {chats.length === 0 ? (
        <p className="border-y border-line py-3 text-faint">{words.nobodyAsks}</p>
      ) : (
        <Rows label={words.asking}>
          {chats.map((chat) => (
            <AskingRow key={chat.chatId} chat={chat} mayManage={mayManage} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

export function KnownChats({ chats, mayManage }: ListProps) {
  const words = useChannelWords()
  return (
    <Section title={words.chats}>
      {chats.length === 0 ? (
        <p className="border-y border-line py-3 text-faint">{words.noChats}</p>
      ) : (
        <Rows label={words.chats}>
          {chats.map((chat) => (
            <KnownRow key={chat.chatId} chat={chat} mayManage={mayManage} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Name({ chat }: { chat: ChannelChat }) {
  const translate = useSaid()
  const words = useChannelWords()
  return (
    <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
      <span className="font-medium">{chat.title}</span>
      <span className="text-quiet">
        {chat.handle && ` @${chat.handle}`}{' '}
        <span className="text-sm text-faint">{chat.chatId}</span>
      </span>
      {chat.kind === 'group' && (
        <span className="block text-sm text-warn">
          {chat.hears === 'people' ? words.groupOfPeople : words.group}
        </span>
      )}
      {chat.trouble && (
        <span className="block text-sm text-bad">{translate(chat.trouble, chat.notice)}</span>
      )}
    </span>
  )
}

const chatOf = ({ channel, chatId }: ChannelChat) => ({ channel, chatId })

const change = (
  chat: ChannelChat,
  state: 'paired' | 'refused' | 'revoked',
  options: RequestOptions,
) =>
  client.patch('/api/channels/{channel}/chats/{chatId}', {
    params: chatOf(chat),
    body: { state },
    ...options,
  })

function useDeciding(chat: ChannelChat) {
  const words = useChannelWords()
  const { waiting, error, send } = useSending<ChannelChat>()
  const said = { paired: words.approved, refused: words.refused }
  const decide = async (state: keyof typeof said): Promise<void> => {
    const changed = await send({ ...chatOf(chat), state }, (options) =>
      change(chat, state, options),
    )
    if (changed) notify(said[state](chat.title))
    await refreshChannels()
  }
  return { waiting, error, decide }
}

function AskingRow({ chat, mayManage }: { chat: ChannelChat; mayManage: boolean }) {
  const words = useChannelWords()
  const { waiting, error, decide } = useDeciding(chat)
  return (
    <li
      className="list-row flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 py-2"
      data-chat="asking"
    >
      <Name chat={chat} />
      <Ago at={chat.askedAt} className="text-sm text-faint" />
      {mayManage && (
        <span className="flex gap-2">
          <Button
            disabled={waiting}
            aria-label={words.refuseName(chat.title)}
            onClick={() => void decide('refused')}
          >
            {words.refuse}
          </Button>
          <SubmitButton
            type="button"
            waiting={waiting}
            aria-label={words.approveName(chat.title)}
            onClick={() => void decide('paired')}
          >
            {words.approve}
          </SubmitButton>
        </span>
      )}
      <ProblemNote error={error} />
    </li>
  )
}

function KnownRow({ chat, mayManage }: { chat: ChannelChat; mayManage: boolean }) {
  const words = useChannelWords()
  const { waiting, error, decide } = useDeciding(chat)
  const isServed = chat.state === 'paired'
  const choose = async (route: ChannelRoute | null) => {
    const params = { channel: chat.channel, chatId: chat.chatId }
    await client.patch('/api/channels/{channel}/chats/{chatId}', { params, body: { route } })
    notify(words.routed)
    await refreshChannels()
  }
  return (
    <li
      className="list-row flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 py-2"
      data-chat={chat.state}
    >
      <Name chat={chat} />
      {isServed ? (
        <span className="w-56 max-sm:w-full">
          <RouteChoice
            label={words.routeOf(chat.title)}
            route={chat.route}
            none={words.channelsAgent}
            disabled={!mayManage}
            onRoute={choose}
          />
        </span>
      ) : (
        <span className="text-sm text-quiet">{words.chatStates[chat.state]}</span>
      )}
      {chat.lastInAt && <Ago at={chat.lastInAt} className="text-sm text-faint" />}
      {mayManage && isServed && <Test chat={chat} />}
      {mayManage && isServed && <Revoke chat={chat} />}
      {mayManage && !isServed && (
        <Button
          disabled={waiting}
          aria-label={words.approveName(chat.title)}
          onClick={() => void decide('paired')}
        >
          {words.approve}
        </Button>
      )}
      {!isServed && <ProblemNote error={error} />}
    </li>
  )
}

function Test({ chat }: { chat: ChannelChat }) {
  const words = useChannelWords()
  const { waiting, error, send } = useSending<ChannelChat>()
  const test = async () => {
    const path = '/api/channels/{channel}/chats/{chatId}/test'
    // Each press is a message of its own.
    const sent = await send(crypto.getRandomValues(new Uint32Array(1))[0], (options) =>
      client.post(path, { params: chatOf(chat), ...options }),
    )
    if (sent) notify(words.tested)
    await refreshChannels()
  }
  return (
    <>
      <Button
        look="quiet"
        disabled={waiting}
        aria-label={words.testName(chat.title)}
        onClick={() => void test()}
      >
        {words.test}
      </Button>
      <ProblemNote error={error} />
    </>
  )
}

function Revoke({ chat }: { chat: ChannelChat }) {
  const words = useWords()
  const channelWords = useChannelWords()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        look="quiet"
        aria-label={channelWords.revokeName(chat.title)}
        onClick={() => setAsking(true)}
      >
        {words.act.revoke}
      </Button>
      <ConfirmSending
        title={channelWords.revokeTitle(chat.title)}
        act={words.act.revoke}
        open={asking}
        onClose={() => setAsking(false)}
        content={chatOf(chat)}
        request={(options) => change(chat, 'revoked', options)}
        onDone={() => {
          notify(channelWords.revoked(chat.title))
          return refreshChannels()
        }}
      >
        <p>{channelWords.revokeText}</p>
      </ConfirmSending>
    </>
  )
}
