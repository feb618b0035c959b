import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeWorld, openConfined, runIn, SECRET, skipWithoutSandbox, type World } from './helpers.ts';

let world: World;
beforeEach(async (ctx) => {
  await skipWithoutSandbox(ctx as never);
  world = makeWorld();
});
afterEach(() => world?.remove());

/** All files below `/` with the names secrets have here; `/usr` is the host's, whole and known to be. */
const HUNT = 'find / \\( -path /proc -o -path /usr \\) -prune -o -name secret.txt -print 2>/dev/null; echo hunted';

describe('what a command sees', () => {
  test('the workspace is /work and writable, and what is written there is on the host', async () => {
    const { out } = await runIn(await openConfined(world.view), 'pwd; echo made > made.txt; cat made.txt');
    expect(out).toBe('/work\nmade\n');
    expect(readFileSync(join(world.workspace, 'made.txt'), 'utf8')).toBe('made\n');
    expect(statSync(join(world.workspace, 'made.txt')).uid).toBe(process.getuid?.());
  });

  test('nothing of another run, of the checkpoint store or of HOME can be found anywhere', async () => {
    const { out } = await runIn(await openConfined(world.view), HUNT);
    expect(out).toBe('hunted\n');
  });

  test('the hunt finds the secret where it is in reach', async () => {
    writeFileSync(join(world.workspace, 'secret.txt'), SECRET);
    expect((await runIn(await openConfined(world.view), HUNT)).out).toBe('/work/secret.txt\nhunted\n');
  });

  test('of the state folder only base.git is there, read-only, at its host path', async () => {
    const script = `cat ${world.baseGit}/HEAD; ls ${world.folder}; ls ${world.folder}/projects/p; touch ${world.baseGit}/x`;
    const { out, err } = await runIn(await openConfined(world.view), script);
    expect(out).toBe('ref: refs/heads/main\nprojects\nbase.git\n');
    expect(err).toContain('Read-only file system');
  });

  test('the mount point of base.git leaves nothing in the scratch folder', async () => {
    await runIn(await openConfined(world.view), 'true');
    expect(existsSync(join(world.view.scratch, 'home'))).toBe(true);
    expect(execFileSync('ls', ['-A', world.view.scratch]).toString()).toBe('home\n');
  });

  test('a link of the agent in the way of a mount point is removed, never followed', async () => {
    const inTmp = world.baseGit.split('/').filter(Boolean);
    if (inTmp[0] !== 'tmp') return;
    const outside = join(world.folder, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(world.view.scratch, inTmp[1] ?? ''));
    const { out } = await runIn(await openConfined(world.view), `cat ${world.baseGit}/HEAD`);
    expect(out).toBe('ref: refs/heads/main\n');
    expect(execFileSync('ls', ['-A', outside]).toString()).toBe('');
  });

  test('HOME, /run, accounts and keys of the host are not there', async () => {
    const script = `ls -A ${homedir()}/.ssh ${homedir()}/.npmrc /run /home /root/.bash_history /etc/shadow /etc/ssl/private 2>/dev/null; echo; echo $HOME; grep -c . /etc/passwd`;
    const { out } = await runIn(await openConfined(world.view), script);
    expect(out).toMatch(/^\n\/tmp\/home\n[12]\n$/);
  });

  test('the root and the system are read-only', async () => {
    const { out } = await runIn(
      await openConfined(world.view),
      'for d in / /usr /usr/bin /etc /dev; do touch $d/x 2>/dev/null && echo wrote $d; done; echo end',
    );
    expect(out).toBe('end\n');
  });

  test('the environment is generated: no variable of ours, not even through the first process', async () => {
    process.env.RAMET_TEST_API_KEY = SECRET;
    try {
      const { out } = await runIn(await openConfined(world.view), 'env; cat /proc/*/environ | tr "\\0" "\\n"');
      expect(out).not.toContain(SECRET);
      expect(out).not.toContain('RAMET_');
      expect(out).toContain('HOME=/tmp/home');
    } finally {
      delete process.env.RAMET_TEST_API_KEY;
    }
  });

  test('no descriptor of ours is open in a command', async () => {
    const { out } = await runIn(await openConfined(world.view), 'for f in /proc/self/fd/*; do readlink $f; done');
    const others = out
      .split('\n')
      .filter((line) => !/^(|\/dev\/null|(socket|pipe):.*|.*ramet-pipes-.* \(deleted\)|\/proc\/\d+\/fd)$/.test(line));
    expect(others).toEqual([]);
  });

  test('git commits as the person and trusts the workspace', async () => {
    world = makeWorld({ identity: { name: 'A "quoted" \\ name', email: 'a@example.org' } });
    const { out } = await runIn(
      await openConfined(world.view),
      'git init -q && git commit -q --allow-empty -m x && git log --format="%an|%ae|%D"',
    );
    expect(out).toBe('A "quoted" \\ name|a@example.org|HEAD -> main\n');
  });

  test('git commits as Ramet agent where the person has no identity', async () => {
    const script = 'git init -q && git commit -q --allow-empty -m x && git log --format="%an|%ae|%cn|%ce"';
    const { out } = await runIn(await openConfined(world.view), script);
    expect(out).toBe('Ramet agent|agent@ramet.invalid|Ramet agent|agent@ramet.invalid\n');
  });
});

describe('ways out', () => {
  test('symbolic links, .. and hard links lead nowhere', async () => {
    symlinkSync(join(world.otherWorkspace, 'secret.txt'), join(world.workspace, 'link'));
    symlinkSync('/proc/1/root', join(world.workspace, 'root'));
    const other = join(world.otherWorkspace, 'secret.txt');
    const script = `cat link ../../run-b/workspace/secret.txt ${other} root${other} /proc/self/root${other} /proc/1/cwd/../..${other}; ln ${other} hard; ln -L link hard2; echo; ls`;
    const { out } = await runIn(await openConfined(world.view), script);
    expect(out).toBe('\nlink\nroot\n');
  });

  test('an alternate object folder outside is not read', async () => {
    const git = (folder: string, ...args: string[]) =>
      execFileSync('git', ['-C', folder, ...args], {
        env: { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      });
    git(world.otherWorkspace, 'init', '-q');
    const blob = git(world.otherWorkspace, 'hash-object', '-w', 'secret.txt').toString().trim();
    const script = `git init -q; echo ${world.otherWorkspace}/.git/objects > .git/objects/info/alternates; git cat-file -p ${blob}`;
    const { out, err } = await runIn(await openConfined(world.view), script);
    expect(out).toBe('');
    expect(err).toContain('unable to normalize alternate object path');
  });

  test('no capability, no set-user-id program, no further user namespace', async () => {
    const { out, err } = await runIn(
      await openConfined(world.view),
      'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; unshare -Ur true && echo nested',
    );
    expect(out).toMatch(/CapInh:\t0+\nCapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\n/);
    expect(out).not.toContain('nested');
    expect(err).toContain('unshare');
  });

  test('kernel settings cannot be written, as root neither', async () => {
    const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const { out } = await runIn(
      await openConfined(world.view),
      'for f in core_pattern printk_ratelimit_burst; do v=$(cat /proc/sys/kernel/$f); echo "$v" > /proc/sys/kernel/$f && echo wrote $f; done 2>/dev/null; echo end',
    );
    expect(out).toBe('end\n');
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  test('only its own processes are in /proc', async () => {
    const { out } = await runIn(
      await openConfined(world.view),
      `kill -0 ${process.pid} 2>/dev/null && echo reached; ls -d /proc/[0-9]* | wc -l`,
    );
    expect(Number(out)).toBeLessThan(10);
  });

  test('sockets of other families, keyrings and io_uring are closed', async (ctx) => {
    if (process.arch !== 'x64') ctx.skip('no system call numbers for this test');
    const script = `perl -e '
      for my $f (1, 2, 10, 16) { socket(my $s, $f, $f == 16 ? 3 : 1, 0) or print "no $f\\n" }
      for my $f (17, 38, 40) { socket(my $s, $f, 1, 0) and print "open $f\\n" }
      for my $n (248, 249, 250, 425, 298, 321) { $! = 0; syscall($n, 0, 0, 0, 0, 0) == -1 and $!{ENOSYS} or print "call $n\\n" }
      print "end\\n"'`;
    expect((await runIn(await openConfined(world.view), script)).out).toBe('end\n');
  });
});

describe('network without --allow-net', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const listen = (where: { port: number; host: string } | { path: string }) =>
    new Promise<Server>((resolve) => {
      const server = createServer((socket) => socket.on('error', () => undefined).end('reached'));
      servers.push(server);
      server.listen(where, () => resolve(server));
    });

  test('the loopback of the host is out of reach', async () => {
    const server = await listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.address() as { port: number };
    const { out, err } = await runIn(await openConfined(world.view), `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`);
    expect(out).toBe('');
    expect(err).toContain('refused');
  });

  test('unix sockets of the host are out of reach, abstract ones too', async (ctx) => {
    const path = join(world.folder, 's');
    if (path.length > 100) ctx.skip('the temporary folder is too long for a socket');
    await listen({ path });
    await listen({ path: `\0${path}` });
    const script = `perl -e 'use Socket; for my $p ($ARGV[0], "\\0$ARGV[0]") { socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack("S a*", AF_UNIX, $p)) and print "reached\\n" } print "end\\n"' ${path}`;
    expect(execFileSync('bash', ['-c', script]).toString()).toBe('reached\nreached\nend\n');
    expect((await runIn(await openConfined(world.view), script)).out).toBe('end\n');
  });
});

describe('hostile places and names', () => {
  test('paths with blanks, quotes, newlines and substitutions work and run nothing', async () => {
    const parent = join(world.folder, '-q', 'a b\'c"d$(touch pwn)é;&*\n ', ' x ');
    mkdirSync(parent, { recursive: true });
    const strange = makeWorld({}, parent);
    const { out } = await runIn(await openConfined(strange.view), `cat "$1"/HEAD; echo there > f`, {
      argv: ['bash', '-c', 'cat "$1"/HEAD; echo there > f', 'x', strange.baseGit],
    });
    expect(out).toBe('ref: refs/heads/main\n');
    expect(readFileSync(join(strange.workspace, 'f'), 'utf8')).toBe('there\n');
    expect(existsSync('pwn') || existsSync(join(tmpdir(), 'pwn'))).toBe(false);
  });

  test('frozen paths cannot be changed, renamed or replaced, and their neighbours can', async () => {
    mkdirSync(join(world.workspace, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(world.workspace, '.git', 'config'), 'old');
    const sandbox = await openConfined({ ...world.view, frozen: ['.git/hooks', '.git/config'] });
    const script =
      'echo new > .git/config; rm -f .git/config; touch .git/hooks/pre-commit; mv .git .moved; rm -rf .git/hooks; echo ok > .git/HEAD';
    await runIn(sandbox, script);
    expect(readFileSync(join(world.workspace, '.git', 'config'), 'utf8')).toBe('old');
    expect(readFileSync(join(world.workspace, '.git', 'HEAD'), 'utf8')).toBe('ok\n');
    expect(existsSync(join(world.workspace, '.git', 'hooks', 'pre-commit'))).toBe(false);
  });

  test('a frozen path that is missing cannot be made by the agent', async () => {
    mkdirSync(join(world.workspace, '.git'));
    const sandbox = await openConfined({ ...world.view, frozen: ['.git/hooks'] });
    await runIn(sandbox, 'mkdir -p .git/hooks; touch .git/hooks/pre-commit');
    expect(existsSync(join(world.workspace, '.git', 'hooks', 'pre-commit'))).toBe(false);
  });

  test('a frozen path behind a link is an error, not a mount elsewhere', async () => {
    symlinkSync(world.otherWorkspace, join(world.workspace, '.git'));
    const sandbox = await openConfined({ ...world.view, frozen: ['.git/hooks'] });
    await expect(runIn(sandbox, 'true')).rejects.toMatchObject({ code: 'process_failed' });
    expect(existsSync(join(world.otherWorkspace, 'hooks'))).toBe(false);
  });

  test('a hard link made by somebody else keeps the inode, and the sandbox makes none across its borders', async () => {
    linkSync(join(world.otherWorkspace, 'secret.txt'), join(world.folder, 'copy'));
    const { err } = await runIn(await openConfined(world.view), `touch a; ln a /tmp/a`);
    expect(err).toContain('cross-device');
  });
});
