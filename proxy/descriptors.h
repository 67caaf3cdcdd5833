// How many connections the descriptors of this process suffice for.
#ifndef CARME_PROXY_DESCRIPTORS_H_
#define CARME_PROXY_DESCRIPTORS_H_

namespace carme::proxy {

// `wanted`, or as many as there can be with two descriptors each and some for
// everything else: who is let in shall find one for the way on. Raises the soft
// limit to the hard one before, and logs when it is not enough.
int MostConnections(int wanted);

}  // namespace carme::proxy

#endif  // CARME_PROXY_DESCRIPTORS_H_
