/** For tests that depend on Linux features such as /proc. */
export const onLinux = process.platform === 'linux' ? test : test.skip;
