/** Declares a test that depends on Linux features, such as /proc. Other systems skip the test. */
export const onLinux = process.platform === 'linux' ? test : test.skip;
