/** The types of what requests bring and answers hold, for whoever serves them. */
import type { z } from '@hono/zod-openapi';
import type { AnsweredGate, GateAnswer, NewRun, RunForkRequest, StartedRun } from './run.ts';
import type { NewMessage, NewSession, StartedTurn } from './session.ts';
import type { Ask, AskAnswer, Live, Settings } from './settings.ts';
import type { InboxItem } from './system.ts';

export type NewSessionBody = z.infer<typeof NewSession>;
export type NewMessageBody = z.infer<typeof NewMessage>;
export type SettingsBody = z.infer<typeof Settings>;
export type NewRunBody = z.infer<typeof NewRun>;
export type GateAnswerBody = z.infer<typeof GateAnswer>;
export type RunForkBody = z.infer<typeof RunForkRequest>;
export type AskAnswerBody = z.infer<typeof AskAnswer>;
export type StartedTurnAnswer = z.infer<typeof StartedTurn>;
export type StartedRunAnswer = z.infer<typeof StartedRun>;
export type AnsweredGateAnswer = z.infer<typeof AnsweredGate>;
export type LiveAnswer = z.infer<typeof Live>;
export type AskValue = z.infer<typeof Ask>;
export type InboxItemAnswer = z.infer<typeof InboxItem>;
