/** For what only Linux tells, as in /proc. */
export const onLinux = process.platform === 'linux' ? test : test.skip;
