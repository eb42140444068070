/* The version of onchip and of the documents that it writes. */
#ifndef ONCHIP_VERSION_H
#define ONCHIP_VERSION_H

#define ONCHIP_VERSION        "0.1.0"
#define ONCHIP_RECEIPT_SCHEMA "onchip.receipt/1"

#endif
