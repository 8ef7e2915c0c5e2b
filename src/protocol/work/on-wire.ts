/** On the wire a work session is called `session`. */
export const onWire = <Row extends { workSessionId: string | null }>({
  workSessionId,
  ...row
}: Row) => ({
  ...row,
  sessionId: workSessionId as Row['workSessionId'],
})

export const answerOnWire = <Answer extends { workSession: object }>({
  workSession,
  ...answer
}: Answer) => ({
  ...answer,
  session: workSession as Answer['workSession'],
})
