@rem npm start begins with exec, so that a shell of POSIX leaves its place to Node; Windows runs this file instead.
@%*
