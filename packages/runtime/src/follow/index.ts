export { type Feeds, openFeeds } from './feeds.ts';
export type { FeedEnd, FeedItem, FeedSettings, FollowOptions, LiveItem, LogLine, RunChange } from './types.ts';
