/**
 * Channels (CN1, CN2): how each stands, who asks to be let in, who is served, and which agent
 * answers.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Channel, PairingCode } from '../../../src/protocol/channels/channel.ts'
import { channels, chatsOf, refreshChannels } from '../live/channels.ts'
import { client, refetch, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { CopySecret } from '../parts/copy.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { notify } from '../parts/notices.tsx'
import { Fact, Facts, Page, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { ChannelState } from './channel-state.tsx'
import { AskingChats, KnownChats } from './chat-lists.tsx'
import { People } from './people.tsx'
import { RouteChoice } from './route-choice.tsx'
import { useChannelWords } from './words.ts'

/** The polling interval for figures without events: last messages and waiting ones. */
const lookEveryMs = 5000

export function ChannelsPage() {
  const words = useChannelWords()
  const { data, error } = useQuery({ ...channels, refetchInterval: lookEveryMs })
  return (
    <Page title={words.title}>
      <ProblemNote error={error} onRetry={() => void refetch(channels)} />
      {!data && !error && <Waiting what={words.title} onRetry={() => void refetch(channels)} />}
      {data?.map((channel) => (
        <OneChannel key={channel.channel} channel={channel} />
      ))}
    </Page>
  )
}

function OneChannel({ channel }: { channel: Channel }) {
  const mayManage = useMay('manage')
  const { data: chats } = useQuery({ ...chatsOf(channel.channel), refetchInterval: lookEveryMs })
  const isNew = channel.state === 'off' && channel.name === null
  if (isNew) return <SetUp channel={channel.channel} />
  return (
    <>
      <Standing channel={channel} mayManage={mayManage} />
      {chats && (
        <AskingChats
          chats={chats.filter(({ state }) => state === 'asking')}
          mayManage={mayManage}
        />
      )}
      {chats && (
        <KnownChats chats={chats.filter(({ state }) => state !== 'asking')} mayManage={mayManage} />
      )}
      <People channel={channel.channel} mayManage={mayManage} />
    </>
  )
}

const settings = {
  telegram: 'HOLDFAST_TELEGRAM_TOKEN=123456:ABC…',
  slack: 'HOLDFAST_SLACK_BOT_TOKEN=xoxb-… HOLDFAST_SLACK_APP_TOKEN=xapp-…',
  discord: 'HOLDFAST_DISCORD_TOKEN=…',
} as const satisfies Record<Channel['channel'], string>

function SetUp({ channel }: { channel: Channel['channel'] }) {
  const words = useChannelWords()
  return (
    <Section title={words.names[channel]} note={words.states.off}>
      <div className="flex flex-col items-start gap-2">
        <p>{words.setUp[channel]}</p>
        <code className="rounded-md bg-sunken px-3 py-2 font-mono text-sm break-all">
          {settings[channel]} npm start
        </code>
        <p className="text-sm text-faint">{words.setUpNote}</p>
      </div>
    </Section>
  )
}

function Standing({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const translate = useSaid()
  const words = useChannelWords()
  const { channel: name, lastInAt, waiting, link } = channel
  const choose = async (route: Channel['route']) => {
    await client.put('/api/channels/{channel}/route', {
      params: { channel: name },
      body: { route },
    })
    notify(words.routed)
    await refreshChannels()
  }
  return (
    <Section title={words.names[name]} actions={mayManage && <MakeCode channel={name} />}>
      <Facts>
        <Fact name={words.state}>
          <ChannelState channel={channel} />
          {channel.trouble && (
            <p className="mt-1 text-sm text-bad">{translate(channel.trouble, channel.notice)}</p>
          )}
        </Fact>
        {channel.name && (
          <Fact name={words.bot}>
            {link ? (
              <a
                href={link}
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                @{channel.name}
              </a>
            ) : (
              channel.name
            )}
          </Fact>
        )}
        <Fact name={words.last}>
          {lastInAt ? <Ago at={lastInAt} /> : <span className="text-faint">{words.none}</span>}
        </Fact>
        {waiting > 0 && <Fact name={words.waiting}>{waiting}</Fact>}
        <Fact name={words.route}>
          <RouteChoice
            label={words.route}
            route={channel.route}
            none={words.firstAgent}
            disabled={!mayManage}
            onRoute={choose}
          />
          <p className="mt-1 text-sm text-faint">{words.routeHint}</p>
        </Fact>
      </Facts>
    </Section>
  )
}

function MakeCode({ channel }: { channel: Channel['channel'] }) {
  const words = useWords()
  const channelWords = useChannelWords()
  const [made, setMade] = useState<PairingCode>()
  const { waiting, error, send } = useSending<PairingCode>()
  const make = async () => {
    const path = '/api/channels/{channel}/pairing-codes'
    // Each press is a code of its own.
    const code = await send(crypto.getRandomValues(new Uint32Array(1))[0], (options) =>
      client.post(path, { params: { channel }, ...options }),
    )
    if (code) setMade(code)
  }
  return (
    <>
      <SubmitButton type="button" waiting={waiting} onClick={() => void make()}>
        {channelWords.pair}
      </SubmitButton>
      <ProblemNote error={error} />
      {made && (
        <InputDialog
          open
          keepOpen
          title={channelWords.codeTitle}
          onClose={() => setMade(undefined)}
        >
          <DialogBody>
            <p>{channelWords.codeText}</p>
            <CopySecret secret={made.code} onCopied={() => {}} />
            {made.link && (
              <a
                href={made.link}
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                {channelWords.codeLink}
              </a>
            )}
          </DialogBody>
          <DialogFoot>
            <Button onClick={() => setMade(undefined)}>{words.act.done}</Button>
          </DialogFoot>
        </InputDialog>
      )}
    </>
  )
}
